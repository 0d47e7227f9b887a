package io.kubemirror.api.read;

/** The server that answers a get or a list (list-watch.md#freshness). */
public enum ReadSource {
    /** The mirror. */
    MIRROR,
    /**
     * The mirror, which has reached the revision that the API server had when the request arrived.
     */
    VERIFIED_MIRROR,
    /** The API server. */
    SERVER
}
