package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.Revision;

/**
 * The revision of each mirror that no later answer of it may be before, because clients have seen
 * it in an answer of the API server (list-watch.md#fr-4, #ry-1 to #ry-6).
 *
 * <p>The API server is ahead of its mirror, by up to a minute if the collection is quiet. Answers
 * of the mirror need no floor, since its revision decreases only when that of the server does
 * (list-watch.md#re-12).
 *
 * <p>May be used from any thread.
 */
public final class Floors implements MirrorSet.Listener {

    /** How long an answer waits for the newest revision of the API server. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final RevisionProbe probe;
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
     */
    public Floors(MirrorSet mirrors, RevisionProbe probe) {
        this.probe = probe;
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

    /** Returns the floor, empty if the server has to be asked for it, or the mirror is removed. */
    Optional<Revision> known(Mirror mirror) {
        return Optional.ofNullable(floors.get(mirror))
                .filter(floor -> floor.known)
                .map(floor -> floor.at);
    }

    /** Returns the mirrors that an answer may concern. */
    public List<Mirror> of(Predicate<Mirror> concerned) {
        return floors.keySet().stream().filter(concerned).toList();
    }

    /**
     * Records an answer of the API server. Call it before the client gets anything of it.
     *
     * @param concerned selects the mirrors whose state is the older one
     * @param at the revision of the answer
     */
    public void raise(Predicate<Mirror> concerned, Revision at) {
        answered = true;
        of(concerned).forEach(mirror -> raise(mirror, at));
    }

    /**
     * Records an answer that does not tell its revision, so that the next read asks for it.
     *
     * @param concerned as above
     */
    public void raiseToUnknown(Predicate<Mirror> concerned) {
        answered = true;
        of(concerned).forEach(mirror -> change(mirror, floor -> new Floor(floor.at, false)));
    }

    /**
     * Records an answer that does not tell its revision: asks the API server for its newest one,
     * once for each mirror. Call it before the client gets anything of the answer.
     *
     * @param concerned as above
     * @return the revision of the API server, empty if it is not known
     */
    public Optional<Revision> raiseToNewest(Predicate<Mirror> concerned) {
        answered = true;
        Optional<Revision> newest = Optional.empty();
        for (Mirror mirror : of(concerned)) {
            newest = asked(mirror);
            newest.ifPresentOrElse(
                    at -> raise(mirror, at), () -> raiseToUnknown(one -> one == mirror));
        }
        return newest;
    }

    private Optional<Revision> asked(Mirror mirror) {
        try {
            return ask(mirror, PATIENCE);
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
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    Optional<Revision> ask(Mirror mirror, Duration patience) throws InterruptedException {
        Floor before = floors.get(mirror);
        Optional<Revision> newest = probe.newest(mirror, patience);
        newest.filter(at -> before != null && (!before.known || at.isBefore(before.at)))
                .ifPresent(at -> floors.replace(mirror, before, new Floor(at, true)));
        return newest;
    }
}
