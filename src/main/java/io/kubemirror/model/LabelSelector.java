package io.kubemirror.model;

import module java.base;

import org.jspecify.annotations.Nullable;

/**
 * A label selector: requirements that labels must all meet (list-watch.md#ls-1 to #ls-12).
 *
 * <p>Selectors are equal if they have the same requirements, in any spelling and order: {@code
 * a=b,c} equals {@code c, a in (b)}. {@code a>05} equals {@code a>5}, but {@code a,a=b} does not
 * equal {@code a=b}, although both select the same.
 */
public final class LabelSelector {

    private static final LabelSelector EVERYTHING = new LabelSelector("", Set.of());

    private final String text;
    private final Requirement[] requirements;

    /**
     * Creates a selector.
     *
     * @param text the selector as it was written
     * @param requirements what it means
     */
    public LabelSelector(String text, Set<Requirement> requirements) {
        this.text = text;
        this.requirements = requirements.toArray(Requirement[]::new);
    }

    /** Returns the selector that matches every object. */
    public static LabelSelector everything() {
        return EVERYTHING;
    }

    /** Returns whether the selector matches every object. */
    public boolean isEverything() {
        return requirements.length == 0;
    }

    /**
     * Returns the number of values that requirements have, where one without values counts as one.
     */
    public int values() {
        int count = 0;
        for (Requirement requirement : requirements) {
            count +=
                    switch (requirement) {
                        case Requirement.In(String _, Set<String> values) -> values.size();
                        case Requirement.NotIn(String _, Set<String> values) -> values.size();
                        case Requirement.Exists _,
                                Requirement.Absent _,
                                Requirement.Above _,
                                Requirement.Below _ ->
                                1;
                    };
        }
        return count;
    }

    /** Returns whether an object with these labels matches; allocates nothing. */
    public boolean matches(Map<String, String> labels) {
        for (Requirement requirement : requirements) {
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
        return Stream.of(other.requirements)
                .allMatch(implied -> Stream.of(requirements).anyMatch(own -> own.implies(implied)));
    }

    /**
     * Returns the labels that must have one of some values, with those values. If several
     * requirements name values of a label, returns the shortest.
     */
    public Map<String, Set<String>> required() {
        Map<String, Set<String>> required = new TreeMap<>();
        for (Requirement requirement : requirements) {
            if (requirement instanceof Requirement.In(String key, Set<String> values)) {
                required.merge(
                        key, values, (one, other) -> one.size() <= other.size() ? one : other);
            }
        }
        return required;
    }

    /** Returns the selector as it was written. */
    public String text() {
        return text;
    }

    private Set<Requirement> demands() {
        return Set.of(requirements);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LabelSelector selector && selector.demands().equals(demands());
    }

    @Override
    public int hashCode() {
        return demands().hashCode();
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
