package io.kubemirror.model;

import java.util.Optional;
import java.util.Set;

/** A field selector (spec 3.2). */
public final class FieldSelector {

    private static final FieldSelector EVERYTHING = new FieldSelector("");

    private final String text;

    private FieldSelector(String text) {
        this.text = text;
    }

    /** The selector that every object matches. */
    public static FieldSelector everything() {
        return EVERYTHING;
    }

    /**
     * Reads a selector; whether its fields exist is asked of {@link #fields()} later, since that is
     * a later check (spec 0.3).
     *
     * @param text the selector as it stands in a query, decoded
     * @throws SelectorException with the API server's message if it cannot be read
     */
    public static FieldSelector parse(String text) throws SelectorException {
        if (text.isEmpty()) {
            return EVERYTHING;
        }
        throw new SelectorException("field selectors are not read yet");
    }

    /** Whether every object matches. */
    public boolean isEverything() {
        return text.isEmpty();
    }

    /**
     * Whether the object matches; {@code metadata.name} and {@code metadata.namespace} come from
     * its key, all else from its fields.
     */
    public boolean matches(KubeObject object) {
        return isEverything() || object.fields().isEmpty();
    }

    /** The names of the fields that the selector asks about, in byte order. */
    public Set<String> fields() {
        return Set.of();
    }

    /** The value that a field must have, if a term with {@code =} demands one. */
    public Optional<String> required(String field) {
        return Optional.empty();
    }

    /**
     * Whether whatever this selector matches is certain to match the other too: it makes all the
     * demands that the other makes.
     */
    public boolean isWithin(FieldSelector other) {
        return other.isEverything() || equals(other);
    }

    /** The selector as it was written. */
    public String text() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FieldSelector selector && selector.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
