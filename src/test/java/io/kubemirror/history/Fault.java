package io.kubemirror.history;

import module java.base;

/**
 * Something that went wrong.
 *
 * @param kind what
 * @param replica the replica that it concerned, {@link #SERVER} if it was the API server
 * @param from when it began, by {@link System#nanoTime}
 * @param until when it ended
 * @param silent whether the replica did not hear of the API server in all of this time
 */
record Fault(Kind kind, String replica, long from, long until, boolean silent) {

    /** The API server and etcd, in place of a replica. */
    static final String SERVER = "api";

    /** What can go wrong. */
    enum Kind {
        KILL,
        TEAR,
        STOP,
        CUT_CLIENTS,
        CUT_UPSTREAM,
        PARTITION,
        HOLD_UPSTREAM,
        LAG,
        HOLD_CLIENTS,
        RESTART_SERVER,
        RESTART_ETCD,
        FREEZE_SERVER,
        FORGET,
        COMPACT,
        FILL_DISK,
        REVOKE,
        STEP_CLOCK,
        RESTORE
    }

    /** What breaks connections of clients. */
    static final Set<Kind> OF_CLIENTS = Set.of(Kind.KILL, Kind.TEAR, Kind.CUT_CLIENTS);

    /** What keeps a replica from the API server, or makes everything late. */
    static final Set<Kind> OF_UPSTREAM =
            Set.of(
                    Kind.KILL,
                    Kind.TEAR,
                    Kind.STOP,
                    Kind.CUT_UPSTREAM,
                    Kind.PARTITION,
                    Kind.HOLD_UPSTREAM,
                    Kind.LAG,
                    Kind.RESTART_SERVER,
                    Kind.RESTART_ETCD,
                    Kind.FREEZE_SERVER,
                    Kind.FORGET,
                    Kind.RESTORE);

    /** What makes the API server itself answer with an error of its own. */
    static final Set<Kind> OF_ETCD = Set.of(Kind.RESTART_ETCD);

    /** What concerns the API server, and all replicas. */
    static final Set<Kind> OF_SERVER =
            Set.of(
                    Kind.RESTART_SERVER,
                    Kind.RESTART_ETCD,
                    Kind.FREEZE_SERVER,
                    Kind.FORGET,
                    Kind.COMPACT,
                    Kind.REVOKE,
                    Kind.RESTORE);

    /** What replaces mirrors. */
    static final Set<Kind> OF_MIRRORS = Set.of(Kind.KILL, Kind.TEAR);

    /** What makes the replica or the API server forget, so that the collection is listed again. */
    static final Set<Kind> OF_HISTORY =
            Set.of(
                    Kind.KILL,
                    Kind.TEAR,
                    Kind.RESTART_SERVER,
                    Kind.RESTART_ETCD,
                    Kind.FORGET,
                    Kind.RESTORE);

    /** Whether it concerns a replica. */
    boolean concerns(String other) {
        return replica.equals(SERVER) || replica.equals(other);
    }
}
