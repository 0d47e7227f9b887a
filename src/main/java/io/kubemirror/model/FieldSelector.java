package io.kubemirror.model;

import module java.base;

import org.jspecify.annotations.Nullable;

/**
 * A field selector: terms that the fields of an object must all match (list-watch.md#fs-1 to
 * #fs-4).
 *
 * <p>Selectors are equal if they consist of the same terms, in any order. An alias and the field
 * that it stands for count as two fields.
 */
public final class FieldSelector {

    private static final FieldSelector EVERYTHING = new FieldSelector("", Set.of());

    private final String text;
    private final List<FieldTerm> terms;

    /** The only namespaces whose objects match, null for all. */
    private final @Nullable SortedSet<String> namespaces;

    /**
     * Creates a selector.
     *
     * @param text the selector as it was written
     * @param terms its distinct terms, in the byte order of their texts
     */
    public FieldSelector(String text, Set<FieldTerm> terms) {
        this(text, List.copyOf(terms), null);
    }

    private FieldSelector(
            String text, List<FieldTerm> terms, @Nullable SortedSet<String> namespaces) {
        this.text = text;
        this.terms = terms;
        this.namespaces = namespaces;
    }

    /**
     * Returns the selector that matches what this one does in some namespaces. Its text has a term
     * that no API server understands, so that none can answer for it.
     *
     * @param only the namespaces, which never change; none match nothing
     */
    public FieldSelector within(SortedSet<String> only) {
        return new FieldSelector(text, terms, only);
    }

    /** Returns the selector that matches every object. */
    public static FieldSelector everything() {
        return EVERYTHING;
    }

    /** Returns whether the selector matches every object. */
    public boolean isEverything() {
        return terms.isEmpty() && namespaces == null;
    }

    /** Returns the number of terms. */
    public int size() {
        return terms.size() + (namespaces == null ? 0 : 1);
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
        return namespaces == null || namespaces.contains(object.key().namespace());
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
        return (other.namespaces == null
                        || (namespaces != null && other.namespaces.containsAll(namespaces)))
                && other.terms.stream()
                        .allMatch(implied -> terms.stream().anyMatch(one -> one.implies(implied)));
    }

    /** Returns the selector as it was written, with what {@link #within} has added. */
    public String text() {
        if (namespaces == null) {
            return text;
        }
        // Not kept, because each watch keeps its selector, and all of a client share namespaces.
        String term = FieldTerm.NAMESPACE + " in (" + String.join(",", namespaces) + ")";
        return text.isEmpty() ? term : text + "," + term;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FieldSelector selector
                && selector.terms.equals(terms)
                && Objects.equals(selector.namespaces, namespaces);
    }

    @Override
    public int hashCode() {
        return terms.hashCode();
    }

    @Override
    public String toString() {
        return text();
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
