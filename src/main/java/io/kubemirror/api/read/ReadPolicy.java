package io.kubemirror.api.read;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * How true the answers of a mirror have to be (list-watch.md#freshness).
 *
 * @param mode who answers reads for the newest state
 * @param stalenessBound how long the API server may be away until the mirror refuses such reads, or
 *     null to answer them however old its state is
 */
public record ReadPolicy(ReadMode mode, @Nullable Duration stalenessBound) {

    /** Every read is answered by what the mirror knows. */
    public static final ReadPolicy SERVE_STALE = new ReadPolicy(ReadMode.CACHE, null);
}
