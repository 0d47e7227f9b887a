package io.kubemirror.model;

import module java.base;

import org.jspecify.annotations.Nullable;

/**
 * A label selector: requirements that labels must all meet (list-watch.md#ls-1 to #ls-12).
 *
 * <p>Selectors are equal if they have the same requirements, in any spelling and order: {@code
 * a=b,c} equals {@code c, a in (b)}. {@code a>05} equals {@code a>5}, but {@code a,a=b} does not
 * equal {@code a=b}, although both select the same.
 *
 * @param text the selector as it was written
 * @param requirements what it means, each once
 */
public record LabelSelector(String text, List<Requirement> requirements) {

    private static final LabelSelector EVERYTHING = new LabelSelector("", List.of());

    /** Copies the requirements. */
    public LabelSelector {
        requirements = List.copyOf(requirements);
    }

    /** Returns the selector that matches every object. */
    public static LabelSelector everything() {
        return EVERYTHING;
    }

    /** Returns whether the selector matches every object. */
    public boolean isEverything() {
        return requirements.isEmpty();
    }

    /**
     * Returns the number of values that requirements have, where one without values counts as one.
     */
    public int values() {
        return requirements.stream().mapToInt(one -> Math.max(1, one.values().size())).sum();
    }

    /** Returns whether an object with these labels matches; allocates nothing. */
    public boolean matches(Map<String, String> labels) {
        // Without an iterator, as a list calls this for every object.
        for (int i = 0; i < requirements.size(); i++) {
            Requirement requirement = requirements.get(i);
            if (!requirement.accepts(labels.get(requirement.key()))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether every object that this selector matches also matches the other: each of the
     * other's requirements follows from one of this one's, as {@code a}, {@code a in (b,c)}, and
     * {@code a!=x} follow from {@code a=b}. Requirements that follow only from several others
     * together are not detected.
     */
    public boolean isWithin(LabelSelector other) {
        return other.requirements.stream()
                .allMatch(implied -> requirements.stream().anyMatch(own -> own.implies(implied)));
    }

    /**
     * Returns the labels that must have a certain value, with that value. If several requirements
     * name one for a label, which can match only if they are equal, returns the first.
     */
    public Map<String, String> required() {
        Map<String, String> required = new TreeMap<>();
        for (Requirement requirement : requirements) {
            if (requirement instanceof Requirement.In(var key, var values) && values.size() == 1) {
                required.putIfAbsent(key, values.iterator().next());
            }
        }
        return required;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LabelSelector selector
                && Set.copyOf(selector.requirements).equals(Set.copyOf(requirements));
    }

    @Override
    public int hashCode() {
        return Set.copyOf(requirements).hashCode();
    }

    @Override
    public String toString() {
        return text;
    }

    /**
     * One requirement of a label selector: a predicate on the value of a label, or on its absence.
     *
     * <p>Different spellings of one meaning are one kind: {@code a=b}, {@code a==b}, and {@code a
     * in (b)} are all {@link In}. Evaluating a value matches no pattern.
     */
    public sealed interface Requirement {

        /** Returns the key of the label. */
        String key();

        /** Returns the values that it names, none if its kind names none. */
        default Set<String> values() {
            return Set.of();
        }

        /**
         * Returns whether the label's value, null if the label is absent, meets the requirement.
         */
        default boolean accepts(@Nullable String value) {
            return switch (this) {
                case In in -> value != null && in.values.contains(value);
                case NotIn not -> value == null || !not.values.contains(value);
                case Exists _ -> value != null;
                case Absent _ -> value == null;
                case Above(String _, long bound) ->
                        value != null && GoString.isInt64(value) && Long.parseLong(value) > bound;
                case Below(String _, long bound) ->
                        value != null && GoString.isInt64(value) && Long.parseLong(value) < bound;
            };
        }

        /** Returns whether the other requirement accepts every value that this one accepts. */
        default boolean implies(Requirement other) {
            if (!key().equals(other.key())) {
                return false;
            }
            if (this instanceof In(String _, Set<String> values)) {
                return values.stream().allMatch(other::accepts);
            }
            return switch (other) {
                case In _ -> false;
                case NotIn(String _, Set<String> values) ->
                        values.stream().noneMatch(this::accepts);
                case Exists _ -> !accepts(null);
                case Absent _ -> equals(other);
                case Above(String _, long bound) ->
                        this instanceof Above above && above.bound >= bound;
                case Below(String _, long bound) ->
                        this instanceof Below below && below.bound <= bound;
            };
        }

        /**
         * The label is present and has one of the values (list-watch.md#ls-1).
         *
         * @param values the values, at least one
         */
        record In(String key, Set<String> values) implements Requirement {

            /** Copies the values into a set that compares one or two of them without hashing. */
            public In {
                values = Set.copyOf(values);
            }
        }

        /**
         * The label is absent or has none of the values (list-watch.md#ls-1).
         *
         * @param values the values, at least one
         */
        record NotIn(String key, Set<String> values) implements Requirement {

            /** Copies the values. */
            public NotIn {
                values = Set.copyOf(values);
            }
        }

        /** The label is present (list-watch.md#ls-1). */
        record Exists(String key) implements Requirement {}

        /** The label is absent (list-watch.md#ls-1). */
        record Absent(String key) implements Requirement {}

        /**
         * The label's value is an integer greater than the bound (list-watch.md#ls-5).
         *
         * @param bound the largest integer that is not accepted
         */
        record Above(String key, long bound) implements Requirement {}

        /**
         * The label's value is an integer less than the bound (list-watch.md#ls-5).
         *
         * @param bound the smallest integer that is not accepted
         */
        record Below(String key, long bound) implements Requirement {}
    }
}
