package io.kubemirror.model;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;

/**
 * A field selector: terms which an object's fields must meet, all of them (list-watch.md#fs-1 to
 * #fs-4).
 *
 * <p>Selectors are equal if they consist of the same terms, however those are ordered. An alias and
 * the field that it stands for are two fields here.
 */
public final class FieldSelector {

    private static final FieldSelector EVERYTHING = new FieldSelector("", Set.of());

    private final String text;
    private final List<FieldTerm> terms;

    private FieldSelector(String text, Set<FieldTerm> terms) {
        this.text = text;
        this.terms = List.copyOf(terms);
    }

    /** The selector that every object matches. */
    public static FieldSelector everything() {
        return EVERYTHING;
    }

    /**
     * Reads a selector; whether its fields exist is asked of {@link SelectableFields} later, since
     * that is a later check (list-watch.md#order-of-checks).
     *
     * @param text the selector as it stands in a query, decoded
     * @throws SelectorException with the API server's message if it cannot be read
     */
    public static FieldSelector parse(String text) throws SelectorException {
        return new FieldSelector(text, FieldSelectorParser.parse(text));
    }

    /** Whether every object matches. */
    public boolean isEverything() {
        return terms.isEmpty();
    }

    /** The number of terms. */
    public int size() {
        return terms.size();
    }

    /**
     * Whether the object matches; {@code metadata.name} and {@code metadata.namespace} come from
     * its key, all else from its fields, where an absent one is empty (list-watch.md#fs-1).
     */
    public boolean matches(KubeObject object) {
        // Without an iterator, as a list asks this of every object.
        for (int i = 0; i < terms.size(); i++) {
            if (!terms.get(i).matches(object)) {
                return false;
            }
        }
        return true;
    }

    /**
     * The names of the fields that the selector asks about, in the byte order of its terms, which
     * is the order in which the API server looks at them (list-watch.md#fs-5).
     */
    public SequencedSet<String> fields() {
        SequencedSet<String> fields = new LinkedHashSet<>();
        terms.forEach(term -> fields.add(term.field()));
        return Collections.unmodifiableSequencedSet(fields);
    }

    /**
     * The value that a field must have, if a term with {@code =} demands one; of several, which
     * nothing can match unless they are the same, the first in byte order.
     */
    public Optional<String> required(String field) {
        return terms.stream()
                .filter(term -> !term.negated() && term.field().equals(field))
                .map(FieldTerm::value)
                .findFirst();
    }

    /**
     * Whether whatever this selector matches is certain to match the other too: each of the other's
     * terms follows from one of this one's, as {@code a!=c} follows from {@code a=b}.
     */
    public boolean isWithin(FieldSelector other) {
        return other.terms.stream().allMatch(this::implies);
    }

    private boolean implies(FieldTerm theirs) {
        return terms.stream().anyMatch(ours -> ours.implies(theirs));
    }

    /** The selector as it was written. */
    public String text() {
        return text;
    }

    private Set<FieldTerm> demands() {
        return Set.copyOf(terms);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FieldSelector selector && selector.demands().equals(demands());
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
     * One demand of a field selector.
     *
     * @param field the name of the field
     * @param negated whether the field must have another value
     * @param value the value
     */
    record FieldTerm(String field, boolean negated, String value) {

        static final String NAME = "metadata.name";
        static final String NAMESPACE = "metadata.namespace";

        boolean matches(KubeObject object) {
            return hasValue(object) != negated;
        }

        private boolean hasValue(KubeObject object) {
            return switch (field) {
                case NAME -> object.key().isNamed(value);
                case NAMESPACE -> object.key().isIn(value);
                default -> object.fields().getOrDefault(field, "").equals(value);
            };
        }

        /** Whether every object that matches this term is certain to match the other. */
        boolean implies(FieldTerm other) {
            return equals(other)
                    || (field.equals(other.field)
                            && !negated
                            && other.negated
                            && !value.equals(other.value));
        }
    }
}
