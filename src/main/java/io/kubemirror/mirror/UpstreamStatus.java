package io.kubemirror.mirror;

import java.time.Instant;

/**
 * The state of the connection to the API server, as the reflector last reported it.
 *
 * @param phase what the reflector is doing
 * @param since when the phase began
 * @param contact when the server last answered or sent an event or a bookmark; {@link
 *     Instant#EPOCH} before the first time
 * @param problem the last failure in one line, empty since the last success
 */
public record UpstreamStatus(Phase phase, Instant since, Instant contact, String problem) {

    /** Returns the status before the first request. */
    public static UpstreamStatus starting(Instant now) {
        return new UpstreamStatus(Phase.RESOLVING, now, Instant.EPOCH, "");
    }

    /** Returns the same status with a new time of contact. */
    public UpstreamStatus contacted(Instant now) {
        return new UpstreamStatus(phase, since, now, problem);
    }

    /** The activity of a reflector. */
    public enum Phase {
        /** It resolves the type by discovery. */
        RESOLVING,
        /**
         * The server does not serve the type, which therefore counts as empty and synchronized
         * (list-watch.md#in-4).
         */
        ABSENT,
        /** It lists the collection. */
        SYNCHRONISING,
        /** Changes arrive as they happen. */
        WATCHING,
        /**
         * It finds changes by repeated lists, because watches are not allowed
         * (list-watch.md#up-35).
         */
        POLLING,
        /** It waits before the next attempt. */
        BACKING_OFF,
        /** The collection does not fit into the memory budget; attempts are rare. */
        OVER_BUDGET,
        /** It has been closed. */
        STOPPED
    }
}
