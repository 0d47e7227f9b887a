package io.kubemirror.model;

import module java.base;

/**
 * A field selector: terms that the fields of an object must all match (list-watch.md#fs-1 to
 * #fs-2).
 *
 * <p>Selectors are equal if they consist of the same terms, in any order. An alias and the field
 * that it stands for count as two fields.
 *
 * @param text the selector as it was written
 * @param terms its distinct terms, in the byte order of their texts
 */
public record FieldSelector(String text, List<FieldTerm> terms) {

    private static final FieldSelector EVERYTHING = new FieldSelector("", List.of());

    /** Copies the terms. */
    public FieldSelector {
        terms = List.copyOf(terms);
    }

    /** Returns the selector that matches every object. */
    public static FieldSelector everything() {
        return EVERYTHING;
    }

    /** Returns whether the selector matches every object. */
    public boolean isEverything() {
        return terms.isEmpty();
    }

    /**
     * Returns whether the object matches. {@code metadata.name} and {@code metadata.namespace} come
     * from its key, all others from its fields, where an absent one is empty (list-watch.md#fs-1).
     */
    public boolean matches(KubeObject object) {
        // Without an iterator, as a list calls this for every object.
        for (int i = 0; i < terms.size(); i++) {
            if (!terms.get(i).matches(object)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the names of the fields in the selector, in the byte order of its terms, which is the
     * order in which the API server checks them (list-watch.md#fs-5).
     */
    public SequencedSet<String> fields() {
        SequencedSet<String> fields = new LinkedHashSet<>();
        terms.forEach(term -> fields.add(term.field()));
        return Collections.unmodifiableSequencedSet(fields);
    }

    /**
     * Returns the value that a term with {@code =} requires of a field. If several terms do, which
     * can match only if their values are equal, returns the first in byte order.
     */
    public Optional<String> required(String field) {
        return terms.stream()
                .filter(term -> !term.negated() && term.field().equals(field))
                .map(FieldTerm::value)
                .findFirst();
    }

    /**
     * Returns whether every object that this selector matches also matches the other: each of the
     * other's terms follows from one of this one's, as {@code a!=c} follows from {@code a=b}.
     */
    public boolean isWithin(FieldSelector other) {
        return other.terms.stream()
                .allMatch(implied -> terms.stream().anyMatch(one -> one.implies(implied)));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FieldSelector selector && selector.terms.equals(terms);
    }

    @Override
    public int hashCode() {
        return terms.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }

    /**
     * One term of a field selector.
     *
     * @param field the name of the field
     * @param negated whether the field must have another value
     * @param value the value
     */
    public record FieldTerm(String field, boolean negated, String value) {

        static final String NAME = "metadata.name";
        static final String NAMESPACE = "metadata.namespace";

        boolean matches(KubeObject object) {
            return negated
                    != switch (field) {
                        case NAME -> object.key().isNamed(value);
                        case NAMESPACE -> object.key().isIn(value);
                        default -> object.fields().getOrDefault(field, "").equals(value);
                    };
        }

        /** Returns whether every object that matches this term also matches the other. */
        boolean implies(FieldTerm other) {
            return equals(other)
                    || (field.equals(other.field)
                            && !negated
                            && other.negated
                            && !value.equals(other.value));
        }
    }
}
