package io.kubemirror.upstream;

import java.util.List;

/**
 * A bearer token, which never shows in a text.
 *
 * @param value the token as it was sent
 * @param audiences whom it must be meant for, one of them; empty for the API server itself
 */
public record BearerToken(String value, List<String> audiences) {

    /** Copies the audiences. */
    public BearerToken {
        audiences = List.copyOf(audiences);
    }

    @Override
    public String toString() {
        return "a token";
    }
}
