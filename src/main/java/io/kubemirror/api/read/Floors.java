package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.Revision;

/**
 * The revision of each mirror that no later answer of it may be before, because clients have seen
 * it in an answer of the API server, and the wait for it (list-watch.md#fr-4, #ry-1 to #ry-6).
 *
 * <p>The API server is ahead of its mirror, by up to a minute if the collection is quiet. Answers
 * of the mirror need no floor, since its revision decreases only when that of the server does
 * (list-watch.md#re-12).
 *
 * <p>The revision of a quiet collection rises with every change in the cluster, and its mirror
 * hears of it only once a minute. If the API server has reached a revision that a read waits for,
 * the mirror is asked to progress (list-watch.md#li-20, #ry-2).
 *
 * <p>May be used from any thread.
 */
public final class Floors implements MirrorSet.Listener {

    /** How long an answer waits for the newest revision of the API server. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /**
     * How long the mirror may take before the API server is asked, and before it is asked again. A
     * shorter wait asks after half of its time.
     */
    private static final Duration ROUND = Duration.ofMillis(100);

    private final RevisionProbe probe;
    private final Duration patience;
    private final BiConsumer<Mirror, Revision> progress;
    private final LongSupplier nanos;
    private final Map<Mirror, Floor> floors = new ConcurrentHashMap<>();

    /** Whether a client has seen an answer. Written before its mirrors are looked up. */
    private volatile boolean answered;

    /**
     * The floor of a mirror. Each answer makes another one, which is compared by its identity: what
     * the server tells replaces only the floor from before it was asked.
     */
    private static final class Floor {

        private final Revision at;

        /** Whether the revisions of all answers are known. */
        private final boolean known;

        Floor(Revision at, boolean known) {
            this.at = at;
            this.known = known;
        }
    }

    /**
     * Creates floors at 0.
     *
     * @param mirrors all mirrors
     * @param probe requests the newest revision of the server that a mirror reads
     * @param patience the maximum time that a read waits
     * @param progress requests that a mirror soon reaches a revision of the server; must return at
     *     once, and may be called often
     * @param nanos a monotonic clock in nanoseconds
     */
    public Floors(
            MirrorSet mirrors,
            RevisionProbe probe,
            Duration patience,
            BiConsumer<Mirror, Revision> progress,
            LongSupplier nanos) {
        this.probe = probe;
        this.patience = patience;
        this.progress = progress;
        this.nanos = nanos;
        mirrors.listen(this);
    }

    /**
     * The content of a mirror may be older than answers before it was added: one on disk is. An
     * answer that does not find the mirror is found here.
     */
    @Override
    public void added(Mirror mirror) {
        floors.put(mirror, new Floor(Revision.ZERO, true));
        if (answered) {
            change(mirror, floor -> new Floor(floor.at, false));
        }
    }

    /** A mirror that does not advance any more shows no later state. */
    @Override
    public void removed(Mirror mirror) {
        floors.remove(mirror);
    }

    private void change(Mirror mirror, UnaryOperator<Floor> change) {
        floors.computeIfPresent(mirror, (_, before) -> change.apply(before));
    }

    private void raise(Mirror mirror, Revision seen) {
        change(mirror, floor -> new Floor(Revision.later(floor.at, seen), floor.known));
    }

    /** Returns the highest revision that clients are known to have seen, 0 for none. */
    public Revision of(Mirror mirror) {
        Floor floor = floors.get(mirror);
        return floor == null ? Revision.ZERO : floor.at;
    }

    /**
     * Returns the mirrors that an answer of the API server may concern, which a client is about to
     * see. A mirror that is added later asks for the revision of the server.
     *
     * @param concerned selects the mirrors whose state is the older one
     */
    public List<Mirror> answering(Predicate<Mirror> concerned) {
        answered = true;
        return floors.keySet().stream().filter(concerned).toList();
    }

    /**
     * Records an answer of the API server. Call it before the client gets anything of it.
     *
     * @param concerned selects the mirrors whose state is the older one
     * @param at the revision of the answer
     */
    public void raise(Predicate<Mirror> concerned, Revision at) {
        answering(concerned).forEach(mirror -> raise(mirror, at));
    }

    /**
     * Records an answer that does not tell its revision, so that the next read asks for it.
     *
     * @param concerned as above
     */
    public void raiseToUnknown(Predicate<Mirror> concerned) {
        answering(concerned).forEach(mirror -> change(mirror, floor -> new Floor(floor.at, false)));
    }

    /**
     * Records an answer that does not tell its revision: asks the API server for its newest one,
     * once for each mirror. Call it before the client gets anything of the answer.
     *
     * @param concerned as above
     * @return the revision of the API server, empty if it is not known
     */
    public Optional<Revision> raiseToNewest(Predicate<Mirror> concerned) {
        Optional<Revision> newest = Optional.empty();
        for (Mirror mirror : answering(concerned)) {
            newest = asked(mirror);
            newest.ifPresentOrElse(
                    at -> raise(mirror, at), () -> raiseToUnknown(one -> one == mirror));
        }
        return newest;
    }

    private Optional<Revision> asked(Mirror mirror) {
        try {
            return ask(mirror, nanos.getAsLong() + PATIENCE.toNanos());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /**
     * Asks the API server for its newest revision, which covers all answers before. One below the
     * floor means that the server has been restored from a backup.
     *
     * @return empty if it is not known in time
     */
    private Optional<Revision> ask(Mirror mirror, long deadline) throws InterruptedException {
        Floor before = floors.get(mirror);
        try {
            Revision newest = probe.newest(mirror, left(deadline));
            if (before != null && (!before.known || newest.isBefore(before.at))) {
                floors.replace(mirror, before, new Floor(newest, true));
            }
            return Optional.of(newest);
        } catch (Rejection unknown) {
            return Optional.empty();
        }
    }

    /**
     * Returns when a wait that begins now ends at the latest.
     *
     * @param allotted the maximum duration of the request
     */
    public long deadline(Duration allotted) {
        return nanos.getAsLong() + shorter(allotted, patience).toNanos();
    }

    /** Returns whether a request allots less time than a wait may take. */
    boolean isHurried(Duration allotted) {
        return allotted.compareTo(patience) < 0;
    }

    /**
     * Returns whether a mirror reaches in time the revision that the API server has now
     * (list-watch.md#fr-3).
     *
     * @throws Rejection if the API server does not tell its revision
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    boolean isVerified(Mirror mirror, Duration allotted) throws Rejection, InterruptedException {
        // The time of the API server does not count.
        return mirror.snapshot().isPresent()
                && isReached(mirror, probe.newest(mirror, allotted), deadline(allotted));
    }

    /**
     * Waits until the mirror reaches a revision, and returns whether it has in time. If nothing
     * changes in it, it is compared with the API server.
     *
     * @param deadline as {@link #deadline} returns it
     * @throws InterruptedException if the thread is interrupted
     */
    public boolean isReached(Mirror mirror, Revision revision, long deadline)
            throws InterruptedException {
        return mirror.await(revision, round(deadline))
                || isReached(mirror, revision, ask(mirror, deadline), deadline);
    }

    /**
     * Waits for a state that shows all that clients have seen. Does not wait for a mirror without
     * content, or for one that does not advance any more.
     *
     * @param min another revision that the client has seen, 0 for none
     * @param deadline as {@link #deadline} returns it
     * @return the state, empty if there is none in time
     * @throws InterruptedException if the thread is interrupted
     */
    public Optional<Mirror.Position> await(Mirror mirror, Revision min, long deadline)
            throws InterruptedException {
        if (mirror.snapshot().isEmpty()) {
            return Optional.empty();
        }
        // Read before the state: what it gets later, a later read has to show.
        Floor before = floors.get(mirror);
        Revision floor = before != null && before.known ? before.at : null;
        if (floor != null && mirror.await(Revision.later(min, floor), round(deadline))) {
            return position(mirror, Revision.later(min, floor));
        }
        if (mirror.isRemoved() || !left(deadline).isPositive()) {
            return Optional.empty();
        }
        Optional<Revision> newest = ask(mirror, deadline);
        // The answer covers a floor that was unknown, and lowers one that the server has lost.
        Revision shown = newest.filter(at -> floor == null || at.isBefore(floor)).orElse(floor);
        if (shown == null) {
            return Optional.empty();
        }
        Revision wanted = Revision.later(min, shown);
        return isReached(mirror, wanted, newest, deadline)
                ? position(mirror, wanted)
                : Optional.empty();
    }

    /** The mirror may have gone back meanwhile. */
    private static Optional<Mirror.Position> position(Mirror mirror, Revision wanted) {
        return mirror.position().filter(now -> !now.snapshot().revision().isBefore(wanted));
    }

    /** Waits for a revision, to which the mirror is asked to progress if the server has it. */
    private boolean isReached(
            Mirror mirror, Revision revision, Optional<Revision> newest, long deadline)
            throws InterruptedException {
        if (newest.filter(at -> !at.isBefore(revision)).isEmpty()) {
            return mirror.await(revision, left(deadline));
        }
        // Repeated, because a request is not remembered: the mirror ignores one that comes too soon
        // after another, and one that finds a change on its way leaves the mirror at that change.
        boolean reached;
        Duration left;
        do {
            progress.accept(mirror, revision);
            left = left(deadline);
            reached = mirror.await(revision, shorter(left, ROUND));
        } while (!reached && left.isPositive());
        return reached;
    }

    private Duration left(long deadline) {
        return Duration.ofNanos(deadline - nanos.getAsLong());
    }

    private Duration round(long deadline) {
        return shorter(left(deadline).dividedBy(2), ROUND);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
