package io.kubemirror.web;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * How old the answers of a mirror may be (FR-1).
 *
 * @param stalenessBound how long the API server may be away until reads for the newest state are
 *     refused, or null to answer however old the state is
 */
public record ReadPolicy(@Nullable Duration stalenessBound) {

    /** Every read is answered by what the mirror knows. */
    public static final ReadPolicy SERVE_STALE = new ReadPolicy(null);
}
