package io.kubemirror.upstream;

import java.util.List;

/**
 * A bearer token. The string representation does not reveal it.
 *
 * @param value the token as sent
 * @param audiences the accepted audiences, of which the token must have one; empty for those of the
 *     API server
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
