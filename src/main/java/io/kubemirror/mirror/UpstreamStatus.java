package io.kubemirror.mirror;

import java.time.Instant;

/**
 * How the mirror stands with its API server, as its reflector last reported.
 *
 * @param phase what the reflector is doing
 * @param since when that began
 * @param contact when the server last answered, sent an event or a bookmark; {@link Instant#EPOCH}
 *     before the first time
 * @param problem the last failure in one line, empty since the last success
 */
public record UpstreamStatus(Phase phase, Instant since, Instant contact, String problem) {

    /** Before anything has happened. */
    public static UpstreamStatus starting(Instant now) {
        return new UpstreamStatus(Phase.RESOLVING, now, Instant.EPOCH, "");
    }

    /** The same after a sign of life. */
    public UpstreamStatus contacted(Instant now) {
        return new UpstreamStatus(phase, since, now, problem);
    }

    /** What a reflector is doing. */
    public enum Phase {
        /** It asks discovery for the type. */
        RESOLVING,
        /**
         * The server does not have the type, which therefore counts as empty and synchronised
         * (list-watch.md#in-4).
         */
        ABSENT,
        /** It lists the collection. */
        SYNCHRONISING,
        /** Changes arrive as they happen. */
        WATCHING,
        /**
         * Changes are found by listing over and over, as watches are not allowed
         * (list-watch.md#up-35).
         */
        POLLING,
        /** It waits before it tries again. */
        BACKING_OFF,
        /** The collection does not fit into the memory budget, and is tried again seldom. */
        OVER_BUDGET,
        /** It has been closed. */
        STOPPED
    }
}
