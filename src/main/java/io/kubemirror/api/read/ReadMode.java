package io.kubemirror.api.read;

/**
 * Specifies which server answers gets and lists that require the most recent state, which only the
 * API server knows (list-watch.md#freshness).
 */
public enum ReadMode {
    /** The mirror answers with its current state (list-watch.md#fr-1). */
    CACHE,
    /** The API server answers (list-watch.md#fr-2). */
    PROXY,
    /**
     * The mirror answers after it has reached the current revision of the API server. If it does
     * not reach it in time, the API server answers (list-watch.md#fr-3).
     */
    VERIFY
}
