package io.kubemirror.mirror;

import module java.base;

/**
 * The state of the connection to the API server, as the reflector last reported it.
 *
 * @param phase what the reflector is doing
 * @param since when the phase began
 * @param contact when the server last answered or sent an event or a bookmark; {@link
 *     Instant#EPOCH} before the first time
 * @param problem the last failure in one line, empty since the last success
 * @param stateSince when the state began, which may last for several phases
 */
public record UpstreamStatus(
        Phase phase, Instant since, Instant contact, String problem, Instant stateSince) {

    /** Creates a status whose state begins with the phase. */
    public UpstreamStatus(Phase phase, Instant since, Instant contact, String problem) {
        this(phase, since, contact, problem, since);
    }

    /** Returns the same status with a new time of contact. */
    public UpstreamStatus contacted(Instant now) {
        return new UpstreamStatus(phase, since, now, problem, stateSince);
    }

    /** Returns this status as the one that follows another, whose state may last. */
    UpstreamStatus following(UpstreamStatus before) {
        boolean lasts = state() == before.state() && before.stateSince.isAfter(Instant.EPOCH);
        return lasts ? new UpstreamStatus(phase, since, contact, problem, before.stateSince) : this;
    }

    /** Returns what the phase means for the content of the mirror. */
    public State state() {
        return switch (phase) {
            case WATCHING, POLLING, ABSENT -> State.SYNCED;
            case RESOLVING, SYNCHRONIZING -> State.RESYNCING;
            case BACKING_OFF, OVER_BUDGET, STOPPED -> State.STALE;
        };
    }

    /** The relation of a mirror to its API server. The names in lower case are on the wire. */
    public enum State {
        /** The mirror receives changes as they happen. */
        SYNCED,
        /**
         * The mirror lists the collection again and serves its previous state until the list is
         * complete.
         */
        RESYNCING,
        /** The mirror is disconnected and serves its previous state. */
        STALE
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
        SYNCHRONIZING,
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
