package io.kubemirror.api.read;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * The freshness requirements of reads from a mirror (list-watch.md#freshness).
 *
 * @param mode specifies which server answers reads of the most recent state
 * @param stalenessBound how long the API server may be unreachable before the mirror rejects such
 *     reads; null to serve them regardless of staleness
 */
public record ReadPolicy(ReadMode mode, @Nullable Duration stalenessBound) {

    /** The policy that serves every read from the mirror. */
    public static final ReadPolicy SERVE_STALE = new ReadPolicy(ReadMode.CACHE, null);
}
