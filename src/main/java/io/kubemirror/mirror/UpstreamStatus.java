package io.kubemirror.mirror;

import module java.base;

/**
 * The state of the connection to the API server, as the reflector last reported it.
 *
 * @param phase what the reflector is doing
 * @param since when the phase began
 * @param contact when the server last showed that the content is current, by a complete list, an
 *     event, a bookmark, or a watch that it accepted; {@link Instant#EPOCH} before the first time
 * @param answer when the server last answered or sent something, even a refusal
 * @param problem the last failure in one line, empty since the last success
 * @param stateSince when the state began, which may last for several phases
 */
public record UpstreamStatus(
        Phase phase,
        Instant since,
        Instant contact,
        Instant answer,
        String problem,
        Instant stateSince) {

    /** Creates a status whose state begins with the phase. */
    public UpstreamStatus(Phase phase, Instant since, Instant contact, String problem) {
        this(phase, since, contact, contact, problem, since);
    }

    /** Returns the same status with a time of contact, unless it has a later one. */
    public UpstreamStatus contacted(Instant at) {
        Instant last = at.isAfter(answer) ? at : answer;
        return at.isAfter(contact)
                ? new UpstreamStatus(phase, since, at, last, problem, stateSince)
                : this;
    }

    /** Returns the same status with a new time of an answer. */
    public UpstreamStatus answered(Instant now) {
        return new UpstreamStatus(phase, since, contact, now, problem, stateSince);
    }

    /**
     * Returns this status as the one that follows another, whose state may last. A status without a
     * contact leaves that of the other.
     */
    UpstreamStatus following(UpstreamStatus before) {
        boolean lasts = state() == before.state() && before.stateSince.isAfter(Instant.EPOCH);
        UpstreamStatus heard = answer.equals(Instant.EPOCH) ? before : this;
        Instant began = lasts ? before.stateSince : stateSince;
        return new UpstreamStatus(phase, since, heard.contact, heard.answer, problem, began);
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
