package io.kubemirror.model;

import org.jspecify.annotations.Nullable;

import java.util.Set;

/**
 * One requirement of a label selector: a predicate on the value of a label, or on its absence.
 *
 * <p>Different spellings of one meaning are one kind: {@code a=b}, {@code a==b}, and {@code a in
 * (b)} are all {@link In}. Evaluating a value allocates nothing and matches no pattern.
 */
sealed interface Requirement {

    /** Returns the key of the label. */
    String key();

    /** Returns whether the label's value, null if the label is absent, meets the requirement. */
    boolean accepts(@Nullable String value);

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
            case NotIn(String _, Set<String> values) -> values.stream().noneMatch(this::accepts);
            case Exists _ -> !accepts(null);
            case Absent _ -> equals(other);
            case Above(String _, long bound) -> this instanceof Above above && above.bound >= bound;
            case Below(String _, long bound) -> this instanceof Below below && below.bound <= bound;
        };
    }

    /**
     * The label is present and has one of the values (list-watch.md#ls-1, #ls-3).
     *
     * @param values the values, at least one
     */
    record In(String key, Set<String> values) implements Requirement {

        /** Copies the values into a set that compares one or two of them without hashing. */
        public In {
            values = Set.copyOf(values);
        }

        @Override
        public boolean accepts(@Nullable String value) {
            return value != null && values.contains(value);
        }
    }

    /**
     * The label is absent or has none of the values (list-watch.md#ls-2).
     *
     * @param values the values, at least one
     */
    record NotIn(String key, Set<String> values) implements Requirement {

        /** Copies the values. */
        public NotIn {
            values = Set.copyOf(values);
        }

        @Override
        public boolean accepts(@Nullable String value) {
            return value == null || !values.contains(value);
        }
    }

    /** The label is present (list-watch.md#ls-4). */
    record Exists(String key) implements Requirement {
        @Override
        public boolean accepts(@Nullable String value) {
            return value != null;
        }
    }

    /** The label is absent (list-watch.md#ls-4). */
    record Absent(String key) implements Requirement {
        @Override
        public boolean accepts(@Nullable String value) {
            return value == null;
        }
    }

    /**
     * The label's value is an integer greater than the bound (list-watch.md#ls-5).
     *
     * @param bound the largest integer that is not accepted
     */
    record Above(String key, long bound) implements Requirement {
        @Override
        public boolean accepts(@Nullable String value) {
            return value != null && Int64.isValid(value) && Long.parseLong(value) > bound;
        }
    }

    /**
     * The label's value is an integer less than the bound (list-watch.md#ls-5).
     *
     * @param bound the smallest integer that is not accepted
     */
    record Below(String key, long bound) implements Requirement {
        @Override
        public boolean accepts(@Nullable String value) {
            return value != null && Int64.isValid(value) && Long.parseLong(value) < bound;
        }
    }
}
