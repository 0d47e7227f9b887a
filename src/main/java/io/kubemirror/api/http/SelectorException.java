package io.kubemirror.api.http;

/** Thrown for an invalid selector; the message is the API server's own. */
public final class SelectorException extends Exception {

    private static final long serialVersionUID = 1L;

    /** Creates an exception with the API server's message. */
    public SelectorException(String message) {
        super(message);
    }
}
