package io.kubemirror.upstream.etcd;

import io.kubemirror.model.Revision;

import okio.ByteString;

import org.jspecify.annotations.Nullable;

/**
 * Where a list continues, and the content of its continue token.
 *
 * @param revision the revision of the list, 0 to continue at the present state
 * @param next the first key of the next page
 * @param problem what could not be read on the pages before, null if everything could
 */
record ContinueKey(Revision revision, ByteString next, @Nullable UnreadableValue problem) {

    private static final String SEPARATOR = ":";

    /** Returns the token. */
    String token() {
        return String.join(
                SEPARATOR,
                revision.digits(),
                problem == null ? "" : problem.name(),
                next.base64Url());
    }

    /**
     * Reads a token.
     *
     * @throws IllegalArgumentException if it is not one of {@link #token}
     */
    static ContinueKey parse(String token) {
        String[] parts = token.split(SEPARATOR, 3);
        ByteString next = parts.length < 3 ? null : ByteString.decodeBase64(parts[2]);
        if (next == null) {
            throw new IllegalArgumentException("not a continue token");
        }
        return new ContinueKey(
                new Revision(parts[0]),
                next,
                parts[1].isEmpty() ? null : UnreadableValue.valueOf(parts[1]));
    }

    /**
     * Returns the token that continues the list at the present state, after the revision of this
     * one expired.
     */
    String tokenAtPresent() {
        return new ContinueKey(Revision.ZERO, next, problem).token();
    }
}
