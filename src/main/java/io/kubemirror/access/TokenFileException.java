package io.kubemirror.access;

/**
 * Signals that a token file cannot be used. The message names the file and the line and contains no
 * token.
 */
public final class TokenFileException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TokenFileException(String message) {
        super(message);
    }
}
