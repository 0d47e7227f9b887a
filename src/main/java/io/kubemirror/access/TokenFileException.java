package io.kubemirror.access;

/** A file of tokens that cannot be used; its message names the file and the line, and no token. */
public final class TokenFileException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TokenFileException(String message) {
        super(message);
    }
}
