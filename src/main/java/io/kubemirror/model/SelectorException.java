package io.kubemirror.model;

/** A selector that cannot be read; the message is the API server's own (spec section 3). */
public final class SelectorException extends Exception {

    private static final long serialVersionUID = 1L;

    /** An exception with the API server's message. */
    public SelectorException(String message) {
        super(message);
    }
}
