package io.kubemirror.model;

import module java.base;

/** Spelling of names. */
public final class Names {

    private Names() {}

    /**
     * Returns the name of a constant in kebab case, as in configuration, metrics, and documents.
     */
    public static String kebab(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
