package io.kubemirror.feature.conflate;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.watch.CatchUp;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * What a conflated watch knows of its client: the state that the client has been sent. If the
 * client falls behind, it gets what differs between that state and the newest one
 * (list-watch.md#cw-1 to #cw-6).
 *
 * <p>The state is a snapshot, which shares with the mirror all that has not changed since, and its
 * pin accounts for the rest. A gap is charged to the budget until it has been sent. Confined to the
 * runs of the watch, except for {@link #abort}.
 *
 * <p>Rejected: a set of changed keys per client, which grows while the client does not read; and a
 * 410, since a list is larger than the difference.
 */
final class Conflation implements CatchUp {

    private static final Logger log = LoggerFactory.getLogger(Conflation.class);

    /** Fewer changes than this are sent as they are. */
    private static final int MAX_CHANGES = 64;

    /** The memory of an event that waits, without the object, in bytes. */
    private static final long EVENT = 64;

    private final Mirror mirror;
    private final Selection selection;
    private final MemoryBudget budget;
    private final Runnable counter;
    private final Runnable signal;

    /** The state at the cursor of the watch; null if the mirror has not reached the cursor. */
    private @Nullable Snapshot seen;

    private @Nullable Pin pin;
    private long charged;

    /**
     * Whether the memory of the state is needed. Written before the signal, so that the run that
     * follows the signal sees it.
     */
    private volatile boolean aborted;

    /**
     * Creates what is known at the beginning of a watch.
     *
     * @param budget for events that wait for the client
     * @param counter counts how often changes are left out
     * @param signal signals the watch
     */
    Conflation(CollectionRequest wanted, MemoryBudget budget, Runnable counter, Runnable signal) {
        this.mirror = wanted.mirror();
        this.selection = wanted.selection();
        this.budget = budget;
        this.counter = counter;
        this.signal = signal;
    }

    @Override
    public void begin(Cursor cursor) {
        var _ = reach(cursor);
    }

    /** Records the state at a cursor, and returns whether the mirror still has it. */
    boolean reach(Cursor cursor) {
        Optional<Snapshot> state = mirror.known(cursor.revision());
        state.ifPresent(found -> hold(found, cursor.revision()));
        return state.isPresent();
    }

    private void hold(Snapshot state, Revision revision) {
        Pin old = pin;
        aborted = false;
        pin = mirror.pin(revision, this::abort);
        seen = state;
        if (old != null) {
            old.close();
        }
    }

    private void abort() {
        aborted = true;
        signal.run();
    }

    /** A watch that is not writing then reads on, so that it holds the newest state. */
    @Override
    public boolean isAborted() {
        return aborted;
    }

    /**
     * Returns what the client has missed if it has fallen behind. One that resumes may have been
     * disconnected within a gap, so it is sent all changes that it was about to read
     * (list-watch.md#cw-3).
     */
    @Override
    public Outcome next(Reading reading, Cursor cursor, boolean resumed) {
        release();
        Snapshot before = seen;
        if (reading instanceof Reading.Progress progress
                && progress.changes().size() < MAX_CHANGES
                && reach(progress.next())) {
            return new Outcome.Ordinary(reading);
        }
        boolean behind = reading instanceof Reading.Progress || reading instanceof Reading.Expired;
        return behind && !resumed && before != null ? missed(before, cursor) : ordinary(reading);
    }

    private Outcome ordinary(Reading reading) {
        if (reading instanceof Reading.Progress progress && !reach(progress.next())) {
            forget();
        }
        return new Outcome.Ordinary(reading);
    }

    /** Returns the difference to the newest state, unless that does not follow from the cursor. */
    private Outcome missed(Snapshot before, Cursor cursor) {
        Mirror.Position newest = mirror.position().orElse(null);
        List<Change> events =
                newest == null || newest.cursor().era() != cursor.era()
                        ? null
                        : before.changesTo(newest.snapshot(), selection)
                                .map(changes -> events(changes, cursor.revision()))
                                .orElse(null);
        if (newest == null || events == null) {
            return ordinary(mirror.read(cursor));
        }
        if (!charge(events)) {
            log.warn("{}: ended a conflated watch, because memory is low", mirror.scope());
            return new Outcome.NoMemory();
        }
        hold(newest.snapshot(), newest.cursor().revision());
        counter.run();
        return new Outcome.Missed(events, newest.cursor());
    }

    /**
     * Returns what the client is sent: deletions first, at the revision that it has reached. Nobody
     * knows their revisions, and a client that is disconnected between them must not resume after
     * one that it has not been sent (list-watch.md#cw-3). Versions that are not sent are not kept.
     */
    private static List<Change> events(List<Change> changes, Revision reached) {
        return changes.stream()
                .<Change>map(
                        change ->
                                switch (change) {
                                    case Change.Added added -> added;
                                    case Change.Modified(Revision at, _, KubeObject latest) ->
                                            new Change.Modified(at, latest, latest);
                                    case Change.Deleted(_, KubeObject gone) ->
                                            new Change.Deleted(reached, gone);
                                })
                .sorted(Comparator.comparing(Change::revision))
                .toList();
    }

    private boolean charge(List<Change> events) {
        long bytes = EVENT * events.size();
        for (Change event : events) {
            bytes += event instanceof Change.Deleted gone ? gone.previous().heapBytes() : 0;
        }
        if (!budget.tryAcquire(bytes)) {
            return false;
        }
        charged = bytes;
        return true;
    }

    private void release() {
        budget.release(charged);
        charged = 0;
    }

    /** Releases all memory. */
    @Override
    public void close() {
        release();
        forget();
    }

    private void forget() {
        if (pin != null) {
            pin.close();
            pin = null;
        }
        seen = null;
    }

    /** Conflates the watches whose clients ask for the newest state (list-watch.md#cw-5). */
    @Component
    static final class ConflationStrategy implements CatchUp.Provider, MirrorSet.Listener {

        private final MirrorSet mirrors;
        private final MeterRegistry registry;
        private final MeterProvider<Counter> counters;

        ConflationStrategy(MirrorSet mirrors, MeterRegistry registry) {
            this.mirrors = mirrors;
            this.registry = registry;
            this.counters =
                    Counter.builder("kubemirror.watch.conflated")
                            .description("Times that a conflated watch has left out changes")
                            .withRegistry(registry);
            mirrors.listen(this);
        }

        @Override
        public boolean isWanted(Exchange exchange) {
            String header = exchange.request().getHeader("Kubemirror-Conflate");
            return exchange.query()
                    .flag("conflate")
                    .or(() -> exchange.query().flag("kubemirrorConflate"))
                    .orElseGet(() -> Boolean.parseBoolean(header));
        }

        @Override
        public CatchUp begin(CollectionRequest wanted, Exchange exchange, Runnable signal) {
            Mirror mirror = wanted.mirror();
            return new Conflation(
                    wanted, exchange.memory().responses(), () -> count(mirror), signal);
        }

        /** A mirror that has been removed is not counted, so that its metric does not come back. */
        private void count(Mirror mirror) {
            if (mirrors.has(mirror.scope())) {
                counter(mirror).increment();
            }
        }

        /** One that takes the place of another has its counter. */
        private Counter counter(Mirror mirror) {
            return counters.withTags(Tags.of(mirror.scope().tags()));
        }

        @Override
        public void added(Mirror mirror) {
            counter(mirror);
        }

        @Override
        public void removed(Mirror mirror) {
            if (!mirrors.has(mirror.scope())) {
                registry.remove(counter(mirror));
            }
        }
    }
}
