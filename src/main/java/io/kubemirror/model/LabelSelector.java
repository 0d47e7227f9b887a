package io.kubemirror.model;

import java.util.Map;

/** A label selector (spec 3.1). */
public final class LabelSelector {

    private static final LabelSelector EVERYTHING = new LabelSelector("");

    private final String text;

    private LabelSelector(String text) {
        this.text = text;
    }

    /** The selector that every object matches. */
    public static LabelSelector everything() {
        return EVERYTHING;
    }

    /**
     * Reads a selector.
     *
     * @param text the selector as it stands in a query, decoded
     * @throws SelectorException with the API server's message if it cannot be read
     */
    public static LabelSelector parse(String text) throws SelectorException {
        if (text.isEmpty()) {
            return EVERYTHING;
        }
        throw new SelectorException("label selectors are not read yet");
    }

    /** Whether every object matches. */
    public boolean isEverything() {
        return text.isEmpty();
    }

    /** Whether an object with these labels matches. */
    public boolean matches(Map<String, String> labels) {
        return isEverything() || labels.isEmpty();
    }

    /**
     * Whether whatever this selector matches is certain to match the other too: it makes all the
     * demands that the other makes.
     */
    public boolean isWithin(LabelSelector other) {
        return other.isEverything() || equals(other);
    }

    /** The selector as it was written. */
    public String text() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LabelSelector selector && selector.text.equals(text);
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
