package io.kubemirror.api.read;

/** Who answers a get or a list (list-watch.md#freshness). */
public enum ReadSource {
    /** The mirror. */
    MIRROR,
    /** The mirror, which has come to where the API server was when the request came. */
    VERIFIED_MIRROR,
    /** The API server. */
    SERVER
}
