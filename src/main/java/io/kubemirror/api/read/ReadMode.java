package io.kubemirror.api.read;

/**
 * Who answers lists and gets for the newest state, which only the API server knows
 * (list-watch.md#freshness).
 */
public enum ReadMode {
    /** The mirror, with what it has come to (list-watch.md#fr-1). */
    CACHE,
    /** The API server (list-watch.md#fr-2). */
    PROXY,
    /**
     * The mirror once it has come to the API server's present revision, else the latter
     * (list-watch.md#fr-3).
     */
    VERIFY
}
