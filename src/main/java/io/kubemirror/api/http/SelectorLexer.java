package io.kubemirror.api.http;

import module java.base;

/** Reads the tokens of a selector one by one, with one token ahead. */
final class SelectorLexer {

    /** The token at the end of the selector, and after it. */
    static final String END = "";

    private final Matcher tokens;
    private String ahead;

    /**
     * Begins with the first token.
     *
     * @param token matches what is before a token, and the token as its first group
     */
    SelectorLexer(Pattern token, String text) {
        tokens = token.matcher(text);
        ahead = next(tokens);
    }

    private static String next(Matcher tokens) {
        return tokens.find() && tokens.group(1) != null ? tokens.group(1) : END;
    }

    /** Returns the next token without taking it. */
    String ahead() {
        return ahead;
    }

    /** Returns whether the next token is the given one. */
    boolean isAhead(String token) {
        return ahead.equals(token);
    }

    /** Takes the next token. */
    String take() {
        String taken = ahead;
        ahead = next(tokens);
        return taken;
    }

    /** Takes the next token if it is the given one, and returns whether it is. */
    boolean accept(String token) {
        boolean found = isAhead(token);
        if (found) {
            take();
        }
        return found;
    }
}
