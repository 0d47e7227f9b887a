package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.Revision;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import org.jspecify.annotations.Nullable;

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

    /** How long the mirror may take before the API server is asked, and asked again. */
    private static final Duration ROUND = Duration.ofMillis(100);

    /** How long an answer waits for the newest revision of the API server. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final RevisionProbe probe;
    private final BiConsumer<Mirror, Revision> progress;
    private final LongSupplier nanos;
    private final Timer shown;
    private final Timer notShown;

    /** The number of answers that clients have seen. */
    private final AtomicLong answers = new AtomicLong();

    private final Map<Mirror, Floor> floors = new ConcurrentHashMap<>();

    /**
     * The floor of a mirror. Immutable.
     *
     * @param at the revision
     * @param mirrorAt the revision of the mirror when the floor was last changed. If the mirror
     *     goes back behind it, the API server has been reset, and the floor with it
     * @param raised the number of the last answer that is part of it, 0 for none
     * @param unknown the number of the last answer whose revision is not known, 0 for none
     */
    private record Floor(Revision at, Revision mirrorAt, long raised, long unknown) {

        private static final Floor NONE = new Floor(Revision.ZERO, Revision.ZERO, 0, 0);

        private Floor in(Revision state) {
            return state.isBefore(mirrorAt)
                    ? new Floor(Revision.ZERO, state, 0, 0)
                    : new Floor(at, state, raised, unknown);
        }

        private Floor raise(Revision seen, long number) {
            return new Floor(Revision.later(at, seen), mirrorAt, Math.max(raised, number), unknown);
        }

        private Floor unknown(long number) {
            return new Floor(at, mirrorAt, Math.max(raised, number), Math.max(unknown, number));
        }

        /**
         * Adds that the API server has a revision, which covers all answers before. A lower one
         * means that it has been restored from a backup.
         *
         * @param asked the number of answers when it was asked
         */
        private Floor covered(Revision newest, long asked) {
            if (raised <= asked && newest.isBefore(at)) {
                return new Floor(newest, mirrorAt, raised, 0);
            }
            return unknown > 0 && unknown <= asked
                    ? new Floor(Revision.later(at, newest), mirrorAt, raised, 0)
                    : this;
        }
    }

    /**
     * Creates floors at 0.
     *
     * @param mirrors all mirrors
     * @param probe requests the newest revision of the server that a mirror reads
     * @param progress requests that a mirror soon reaches a revision of the server; must return at
     *     once, and may be called often
     * @param nanos a monotonic clock in nanoseconds
     */
    public Floors(
            MirrorSet mirrors,
            RevisionProbe probe,
            BiConsumer<Mirror, Revision> progress,
            MeterRegistry registry,
            LongSupplier nanos) {
        this.probe = probe;
        this.progress = progress;
        this.nanos = nanos;
        this.shown = timer(registry, "shown");
        this.notShown = timer(registry, "not-shown");
        mirrors.listen(this);
    }

    private static Timer timer(MeterRegistry registry, String outcome) {
        return Timer.builder("kubemirror.write.waits")
                .description("Time that reads waited for a revision that clients had seen")
                .tag("outcome", outcome)
                .register(registry);
    }

    /**
     * The content of a mirror may be older than answers before it was added: one on disk is. The
     * mirror is added before the number of answers is read, and an answer is counted before its
     * mirrors are looked up, so that one of them sees the other.
     */
    @Override
    public void added(Mirror mirror) {
        floors.put(mirror, Floor.NONE);
        long number = answers.get();
        if (number > 0) {
            change(mirror, floor -> floor.unknown(number));
        }
    }

    /** A mirror that does not advance any more shows no later state. */
    @Override
    public void removed(Mirror mirror) {
        floors.remove(mirror);
    }

    private void change(Mirror mirror, UnaryOperator<Floor> change) {
        // The state is read under the lock of the key and thus never before what is replaced. An
        // earlier one could look like a mirror whose revision has decreased.
        floors.computeIfPresent(
                mirror,
                (_, before) ->
                        change.apply(
                                mirror.snapshot()
                                        .map(state -> before.in(state.revision()))
                                        .orElse(before)));
    }

    private Floor floor(Mirror mirror) {
        Floor known = floors.getOrDefault(mirror, Floor.NONE);
        boolean reset =
                mirror.snapshot()
                        .filter(state -> state.revision().isBefore(known.mirrorAt()))
                        .isPresent();
        if (reset) {
            floors.replace(mirror, known, Floor.NONE);
        }
        return reset ? Floor.NONE : known;
    }

    /** Returns the highest revision that clients are known to have seen, 0 for none. */
    public Revision of(Mirror mirror) {
        return floor(mirror).at();
    }

    /** Returns the mirrors that an answer may concern. */
    public List<Mirror> of(Predicate<Mirror> concerned) {
        return floors.keySet().stream().filter(concerned).toList();
    }

    /**
     * Records an answer of the API server. Call it before the client gets anything of it.
     *
     * @param concerned selects the mirrors whose state is the older one
     * @param at the revision of the answer; null if it is not known, so that the next read asks
     */
    public void raise(Predicate<Mirror> concerned, @Nullable Revision at) {
        long number = answers.incrementAndGet();
        for (Mirror mirror : of(concerned)) {
            change(mirror, floor -> at == null ? floor.unknown(number) : floor.raise(at, number));
        }
    }

    /**
     * Records an answer that does not tell its revision: asks the API server for its newest one,
     * once for each mirror. Call it before the client gets anything of the answer.
     *
     * @param concerned selects the mirrors whose state is the older one
     * @return the revision of the API server, empty if it is not known
     */
    public Optional<Revision> raiseToNewest(Predicate<Mirror> concerned) {
        long number = answers.incrementAndGet();
        Optional<Revision> newest = Optional.empty();
        for (Mirror mirror : of(concerned)) {
            newest = newest(mirror);
            Revision at = newest.orElse(null);
            change(
                    mirror,
                    floor ->
                            at == null
                                    ? floor.unknown(number)
                                    : floor.covered(at, number).raise(at, number));
        }
        return newest;
    }

    private Optional<Revision> newest(Mirror mirror) {
        try {
            return probe.newest(mirror, PATIENCE);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private Optional<Revision> ask(Mirror mirror, Duration patience) throws InterruptedException {
        long asked = answers.get();
        Optional<Revision> newest = probe.newest(mirror, patience);
        newest.ifPresent(at -> change(mirror, floor -> floor.covered(at, asked)));
        return newest;
    }

    /**
     * Returns whether only the request names a revision, which may not exist then. What clients
     * have seen exists.
     *
     * @param min another revision that the client has seen, 0 for none
     */
    public boolean isNamedOnly(Revision revision, Mirror mirror, Revision min) {
        return !Revision.later(min, of(mirror)).isAfter(revision);
    }

    /**
     * Waits until a mirror that has content has reached its floor and a revision. Does not wait for
     * a mirror that does not advance any more.
     *
     * @param min the revision, 0 for any
     * @param patience the maximum time to wait
     * @return a state at or after both; empty if there is none in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public Optional<Mirror.Position> await(Mirror mirror, Revision min, Duration patience)
            throws InterruptedException {
        Optional<Mirror.Position> now = position(mirror, min);
        if (now.isPresent() || mirror.snapshot().isEmpty()) {
            return now;
        }
        long begun = nanos.getAsLong();
        Duration left = patience;
        Revision newest = floor(mirror).unknown() > 0 ? asked(mirror, left) : Revision.ZERO;
        while (now.isEmpty() && left.isPositive() && floors.containsKey(mirror)) {
            now = within(left.compareTo(ROUND) < 0 ? left : ROUND, mirror, min);
            left = patience.minusNanos(nanos.getAsLong() - begun);
            if (now.isEmpty() && left.isPositive()) {
                if (newest.isZero() || newest.isBefore(of(mirror))) {
                    newest = asked(mirror, left);
                }
                demand(mirror, Revision.later(min, of(mirror)), newest);
            }
        }
        (now.isEmpty() ? notShown : shown).record(nanos.getAsLong() - begun, TimeUnit.NANOSECONDS);
        return now;
    }

    private Revision asked(Mirror mirror, Duration left) throws InterruptedException {
        return ask(mirror, left).orElse(Revision.ZERO);
    }

    private Optional<Mirror.Position> within(Duration time, Mirror mirror, Revision min)
            throws InterruptedException {
        AtomicReference<Mirror.@Nullable Position> found = new AtomicReference<>();
        mirror.await(
                () -> {
                    found.set(position(mirror, min).orElse(null));
                    return found.get() != null;
                },
                time);
        return Optional.ofNullable(found.get());
    }

    /**
     * Requests progress to what the server is known to have. Clients name revisions that do not
     * exist, which no mirror can progress to.
     */
    private void demand(Mirror mirror, Revision wanted, Revision newest) {
        if (wanted.isAfter(mirror.revision()) && !wanted.isAfter(newest)) {
            progress.accept(mirror, wanted);
        }
    }

    /** The floor is read before the state: what it gets later, a later read has to show. */
    private Optional<Mirror.Position> position(Mirror mirror, Revision min) {
        Floor floor = floor(mirror);
        return floor.unknown() > 0 || !floors.containsKey(mirror)
                ? Optional.empty()
                : mirror.position()
                        .filter(
                                now ->
                                        !now.snapshot()
                                                .revision()
                                                .isBefore(Revision.later(min, floor.at())));
    }
}
