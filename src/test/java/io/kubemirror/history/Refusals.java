package io.kubemirror.history;

import module java.base;

import io.kubemirror.history.Operation.Mode;

/**
 * Judges errors. Each is legal only for a cause that the run knows: a fault, a revision that was
 * forgotten or does not exist yet, or what the client has asked for.
 */
final class Refusals {

    /** How long a client, or a connection of one, may notice a fault that is over, in seconds. */
    private static final double NOTICE = 3;

    /** How long a mirror may take to follow again after a fault, in seconds. */
    private static final double RECOVERY = 20;

    /**
     * For so many seconds after it was away, the API server may show objects in another way, so
     * that each end of a watch leads to a list.
     */
    private static final double SETTLING = 60;

    /** How long the check of a permission, and the end of a watch, may take, in nanoseconds. */
    private static final long SLACK = Duration.ofSeconds(2).toNanos();

    private final History history;
    private final Bridges bridges;
    private final Delays delays;

    Refusals(History history, Bridges bridges, Delays delays) {
        this.history = history;
        this.bridges = bridges;
        this.delays = delays;
    }

    /**
     * Returns why an error is illegal, empty if it is legal.
     *
     * @param begun the least revision that the mirror has shown in this process, 0 for none
     * @param shown the greatest one
     * @param written the greatest revision that a write of this process has told, 0 for none
     */
    Optional<String> illegal(Operation operation, long begun, long shown, long written) {
        int code = operation.answer().code();
        if (code < 0) {
            return unless(
                    isNear(operation, Fault.OF_CLIENTS, NOTICE) || isFirstUse(operation),
                    "nothing has cut the connection");
        }
        if (operation.isWrite()) {
            return write(operation);
        }
        return switch (code) {
            case 400 -> beyondMirror(operation, shown);
            case 403 -> forbidden(operation);
            case 410 -> expired(operation, begun);
            case 429 -> tooMany(operation, shown);
            case 504 -> overdue(operation, shown, written);
            case 500 -> ofEtcd(operation);
            case 502, 503 -> unavailable(operation);
            default -> Optional.of("no such error is expected");
        };
    }

    private Optional<String> forbidden(Operation operation) {
        long since = operation.called() - Replica.CACHED.toNanos() - SLACK - delays.near(operation);
        return unless(
                !Identity.of(operation).permits(operation)
                        || (Identity.of(operation) == Identity.PART
                                && isSince(operation, Set.of(Fault.Kind.REVOKE), since)),
                "it is permitted");
    }

    /**
     * Returns why an answer is illegal because of what its client was not permitted any more, empty
     * if it is legal. Permissions are cached, and for longer while the API server does not answer.
     */
    Optional<String> revoked(Operation operation) {
        boolean told = operation.answer().isSuccess() || operation.isMissing();
        if (!told
                || Identity.of(operation) != Identity.PART
                || isNear(operation, Fault.OF_UPSTREAM, NOTICE)) {
            return Optional.empty();
        }
        long at = toldAt(operation);
        long until = operation.isWatch() ? at : operation.returned();
        long cached = Replica.CACHED.toNanos() + delays.near(operation);
        long allowed = cached + (operation.isWatch() ? Replica.RECHECKED.toNanos() + SLACK : 0);
        return history.faults().stream()
                .filter(fault -> fault.kind() == Fault.Kind.REVOKE)
                .filter(fault -> fault.from() + allowed < at && until < fault.until())
                .map(
                        fault ->
                                "was told %.1f s after the permission was revoked"
                                        .formatted((at - fault.from()) / 1e9))
                .findFirst();
    }

    /** When the client had asked for the answer, or had the last event of a watch. */
    private static long toldAt(Operation operation) {
        boolean late = !operation.request().contains("bookmarkIntervalSeconds=1");
        List<Frame> frames = operation.answer().frames();
        return !operation.isWatch() || late || frames.isEmpty()
                ? operation.called()
                : frames.getLast().at();
    }

    /** The API server has these errors while its etcd is away. */
    private Optional<String> ofEtcd(Operation operation) {
        return unless(
                isNear(operation, Fault.OF_ETCD, NOTICE), "nothing is wrong with the API server");
    }

    /** Returns why it is illegal that the mirror says it is not synchronized. */
    Optional<String> unhealthy(Operation operation) {
        String state = operation.answer().state();
        boolean legal =
                state.equals("synced")
                        || operation.resource().equals(StoredType.DEMANDED.plural())
                        || isNear(operation, Fault.OF_UPSTREAM, RECOVERY)
                        || isNear(operation, Fault.OF_MIRRORS, RECOVERY)
                        || (state.equals("resyncing")
                                && isNear(operation, Fault.OF_UPSTREAM, SETTLING + RECOVERY));
        return unless(legal, "it is " + state + ", and nothing is wrong");
    }

    private static Optional<String> unless(boolean legal, String reason) {
        return legal ? Optional.empty() : Optional.of(reason);
    }

    private boolean isNear(Operation operation, Set<Fault.Kind> kinds, double grace) {
        long allowed = (long) (grace * Duration.ofSeconds(1).toNanos()) + delays.near(operation);
        return isSince(operation, kinds, operation.called() - allowed);
    }

    private boolean isSince(Operation operation, Set<Fault.Kind> kinds, long since) {
        return history.faults().stream()
                .filter(fault -> kinds.contains(fault.kind()))
                .filter(fault -> fault.concerns(operation.replica()))
                .anyMatch(fault -> fault.until() > since && fault.from() < operation.returned());
    }

    /** A client notices that its connection was cut when it uses it for the next time. */
    private boolean isFirstUse(Operation operation) {
        long used =
                history.operations().stream()
                        .filter(other -> other.client().equals(operation.client()))
                        .filter(other -> other.replica().equals(operation.replica()))
                        .filter(other -> other.answer().code() > 0)
                        .filter(other -> other.called() < operation.called())
                        .mapToLong(Operation::called)
                        .max()
                        .orElse(0);
        return isSince(operation, Fault.OF_CLIENTS, used);
    }

    private Optional<String> unavailable(Operation operation) {
        return unless(
                isNear(operation, Fault.OF_UPSTREAM, NOTICE),
                "nothing keeps the replica from the API server");
    }

    /** Whether the object was missing meanwhile is known where its changes are. */
    private Optional<String> write(Operation write) {
        Truth truth = history.truth(write.resource());
        String key = write.selected().namespace() + "/" + write.selected().name();
        boolean creates = write.request().startsWith("POST");
        long slack = Duration.ofSeconds(2).toNanos();
        return switch (write.answer().code()) {
            case 404 ->
                    unless(
                            !creates
                                    && truth.was(
                                            key, true, write.called(), write.returned() + slack),
                            "the object has existed all the time");
            case 409 ->
                    unless(
                            truth.was(key, false, write.called(), write.returned() + slack),
                            "the object has not existed");
            case 403 -> forbidden(write);
            case 500 -> ofEtcd(write);
            case 429, 502, 503, 504 -> unavailable(write);
            default -> Optional.of("no such error is expected");
        };
    }

    /** Only a mirror sorts and counts; one on demand is there from the first request on. */
    private Optional<String> beyondMirror(Operation read, long shown) {
        boolean own = read.request().matches(".*(sortBy|count|groupBy)=.*");
        boolean starts = read.resource().equals(StoredType.DEMANDED.plural()) && shown == 0;
        return unless(
                own && (starts || isNear(read, Fault.OF_MIRRORS, NOTICE)),
                "nothing is wrong with the request");
    }

    /** A mirror that ends when it is idle has a history since its last start only. */
    private Optional<String> expired(Operation read, long begun) {
        if (read.resource().equals(StoredType.DEMANDED.plural())
                || isNear(read, Fault.OF_MIRRORS, NOTICE)
                || read.request().contains("&continue")) {
            return unless(read.mode() != Mode.ANY, "no revision was asked for");
        }
        long wanted = read.wanted();
        boolean named = read.mode() == Mode.EXACT || read.mode() == Mode.RESUME;
        boolean forgotten =
                wanted < begun
                        || bridges.touch(read, wanted)
                        || history.truth(read.resource()).count(wanted, read.returned())
                                >= StoredType.KEPT;
        return unless(
                named && forgotten, wanted + " is in the history, which begins before " + begun);
    }

    private Optional<String> tooMany(Operation read, long shown) {
        String error = read.answer().error();
        if (error.contains("last had contact")) {
            boolean old = read.request().contains(Client.MAX_AGE) && read.answer().age() > 0;
            return unless(old, "its age is " + read.answer().age() + " s");
        }
        if (error.contains("(re)initializing")) {
            boolean starts =
                    shown == 0
                            || read.resource().equals(StoredType.DEMANDED.plural())
                            || isNear(read, Fault.OF_MIRRORS, NOTICE);
            return unless(starts, "the mirror has shown " + shown);
        }
        return unless(
                isNear(read, Fault.OF_UPSTREAM, RECOVERY) || isNear(read, Fault.OF_MIRRORS, NOTICE),
                "nothing makes the mirror late");
    }

    private Optional<String> overdue(Operation read, long shown, long written) {
        long wanted =
                Math.max(
                        read.mode() == Mode.NOT_OLDER || read.mode() == Mode.EXACT
                                ? read.wanted()
                                : 0,
                        read.minimum());
        // One that ends while a read waits does not advance any more.
        boolean ends = isNear(read, Fault.OF_MIRRORS, NOTICE);
        boolean stays = !read.resource().equals(StoredType.DEMANDED.plural()) && !ends;
        // These wait until the mirror is as new as the API server, whatever it has shown.
        boolean verified =
                read.resource().equals(StoredType.VERIFIED.plural()) && read.mode() == Mode.RECENT;
        boolean had = wanted > 0 && Math.max(wanted, written) <= shown;
        if (had && stays && !verified && !followsUnclear(read)) {
            return Optional.of("the mirror had shown " + shown);
        }
        boolean future = wanted > history.newest(read.returned());
        return unless(
                future || ends || isNear(read, Fault.OF_UPSTREAM, RECOVERY),
                "nothing makes the mirror late");
    }

    /**
     * Whether a write has got no answer that tells whether it is stored. Reads of the replica then
     * wait for a revision that the API server has afterward (consistency.md).
     */
    private boolean followsUnclear(Operation read) {
        return history.operations().stream()
                .filter(Operation::isWrite)
                .filter(write -> write.replica().equals(read.replica()))
                .filter(write -> write.resource().equals(read.resource()))
                .filter(write -> write.called() < read.returned())
                .anyMatch(write -> write.answer().code() < 0 || write.answer().code() >= 500);
    }
}
