package io.kubemirror.api.read;

import io.kubemirror.mirror.Mirror;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * The freshness requirements of reads from a mirror (list-watch.md#freshness).
 *
 * @param mode specifies which server answers reads of the most recent state
 * @param stalenessBound how long the API server may be unreachable before the mirror rejects such
 *     reads; null to serve them regardless of staleness
 * @param start specifies how reads are answered until the first synchronization is complete
 * @param fields which members of objects are kept and dropped, as in the header {@code
 *     Kubemirror-Fields}; empty for whole objects (list-watch.md#ca-4a)
 */
public record ReadPolicy(
        ReadMode mode, @Nullable Duration stalenessBound, ReadsAtStart start, String fields) {

    /** The policy that serves every read from the mirror. */
    public static final ReadPolicy SERVE_STALE = new ReadPolicy(ReadMode.CACHE, null);

    /** Creates the policy of a mirror that starts with the process. */
    public ReadPolicy(ReadMode mode, @Nullable Duration stalenessBound) {
        this(mode, stalenessBound, ReadsAtStart.REJECTED, "");
    }

    /** How reads are answered until the first synchronization is complete. */
    public enum ReadsAtStart {
        /** With 429 (list-watch.md#in-1). */
        REJECTED,
        /** By the mirror, for which they wait (list-watch.md#od-2). */
        WAITING,
        /** By the API server; watches wait for the mirror (list-watch.md#od-1). */
        PROXIED
    }

    /**
     * Specifies which server answers gets and lists that require the most recent state, which only
     * the API server knows (list-watch.md#freshness).
     */
    public enum ReadMode {
        /** The mirror answers with its current state (list-watch.md#fr-1). */
        CACHE,
        /** The API server answers (list-watch.md#fr-2). */
        PROXY,
        /**
         * The mirror answers after it has reached the current revision of the API server. If it
         * does not reach it in time, the API server answers (list-watch.md#fr-3).
         */
        VERIFY
    }

    /** Provides the read policy of each mirror. */
    @FunctionalInterface
    public interface ReadPolicies {

        /**
         * Returns the policy of a mirror, also after it has been removed: a request that has found
         * it may still read it.
         */
        ReadPolicy of(Mirror mirror);
    }
}
