package io.kubemirror.feature.conflate;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.watch.CatchUp;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.Reading;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a conflated watch knows of its client: the state that the client has been sent. If the
 * client falls behind, it gets what differs between that state and the newest one
 * (list-watch.md#cw-1 to #cw-6).
 *
 * <p>The state is a snapshot, which shares with the mirror all that has not changed since, and its
 * pin accounts for the rest. A gap is charged to the budget until it has been sent. Confined to the
 * runs of the watch, except for {@link #abort}.
 */
final class Conflation implements CatchUp {

    private static final Logger log = LoggerFactory.getLogger(Conflation.class);

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

    /** An object until its deletion; another one of the same name is another incarnation. */
    private record Incarnation(ObjectKey key, String uid) {}

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
     * disconnected within a gap. All changes since must then be in the history
     * (list-watch.md#cw-3).
     */
    @Override
    public Outcome next(Reading reading, Cursor cursor, boolean resumed) {
        release();
        Snapshot before = seen;
        if (before == null) {
            if (reading instanceof Reading.Progress progress) {
                reach(progress.next());
            }
            return new Outcome.Ordinary(reading);
        }
        if (reading instanceof Reading.Progress progress
                && !progress.isFull()
                && isExact(progress)
                && reach(progress.next())) {
            return new Outcome.Ordinary(reading);
        }
        Reading now = reading;
        while (now instanceof Reading.Progress || (now instanceof Reading.Expired && !resumed)) {
            Optional<Outcome> outcome = outcome(before, cursor, resumed);
            if (outcome.isPresent()) {
                return outcome.get() instanceof Outcome.Missed missed
                        ? charged(missed)
                        : outcome.get();
            }
            // A change that was about to be read has been evicted.
            now = mirror.read(cursor);
        }
        return new Outcome.Ordinary(now);
    }

    private Outcome charged(Outcome.Missed missed) {
        if (!charge(missed.events())) {
            log.warn("{}: ended a conflated watch, because memory is low", mirror.scope());
            return new Outcome.NoMemory();
        }
        if (!missed.isComplete()) {
            counter.run();
        }
        return missed;
    }

    /** Returns whether no object has changed twice. */
    private boolean isExact(Reading.Progress progress) {
        if (progress.changes().size() < 2) {
            return true;
        }
        Set<ObjectKey> changed = new HashSet<>();
        return progress.changes().stream()
                .map(LoggedChange::change)
                .filter(selection::matches)
                .allMatch(change -> changed.add(change.key()));
    }

    /**
     * Returns what the client has missed, or that it has to list again; empty if the history lacks
     * a part of it by now.
     */
    private Optional<Outcome> outcome(Snapshot before, Cursor cursor, boolean resumed) {
        Map<Incarnation, Change> last = new LinkedHashMap<>();
        Reading reading = mirror.read(cursor);
        boolean expired = reading instanceof Reading.Expired;
        if (expired && resumed) {
            return Optional.empty();
        }
        if (expired) {
            Mirror.Position oldest = oldest().orElse(null);
            if (oldest == null) {
                return Optional.empty();
            }
            Optional<List<Change>> evicted = before.changesTo(oldest.snapshot(), selection);
            if (evicted.isEmpty()) {
                return Optional.of(new Outcome.Ordinary(reading));
            }
            evicted.get().forEach(change -> replace(last, change));
            reading = mirror.read(oldest.cursor());
        }
        int changes = 0;
        while (reading instanceof Reading.Progress progress) {
            changes += add(progress, last);
            if (!progress.isFull()) {
                List<Change> events = events(before, last, resumed);
                boolean complete = !expired && events.size() == changes;
                return reach(progress.next())
                        ? Optional.of(new Outcome.Missed(events, progress.next(), complete))
                        : Optional.empty();
            }
            reading = mirror.read(progress.next());
        }
        return Optional.empty();
    }

    /** Adds the changes of a reading that concern the client, and returns their number. */
    private int add(Reading.Progress progress, Map<Incarnation, Change> last) {
        int changes = 0;
        for (LoggedChange logged : progress.changes()) {
            Change view = selection.view(logged.change()).orElse(null);
            if (view != null) {
                replace(last, view);
                changes++;
            }
        }
        return changes;
    }

    /** Returns the first state of the history, from which on all changes are known. */
    private Optional<Mirror.Position> oldest() {
        Revision floor = mirror.floor();
        if (mirror.start(floor) instanceof StartPosition.From(Cursor cursor)) {
            return mirror.snapshot(floor).map(state -> new Mirror.Position(state, cursor));
        }
        // What an earlier process had in its history is known in part only.
        return mirror.position();
    }

    private static void replace(Map<Incarnation, Change> last, Change change) {
        Incarnation incarnation = new Incarnation(change.key(), change.latest().uid());
        last.remove(incarnation);
        last.put(incarnation, change);
    }

    /**
     * Returns the events that lead from a state to the one after some changes. A client that has
     * resumed gets the deletion of an object that it may have seen.
     */
    private List<Change> events(Snapshot before, Map<Incarnation, Change> last, boolean resumed) {
        List<Change> events = new ArrayList<>(last.size());
        last.forEach(
                (incarnation, change) -> {
                    KubeObject object = change.latest();
                    boolean known =
                            before.get(incarnation.key())
                                    .filter(old -> old.uid().equals(incarnation.uid()))
                                    .filter(selection::matches)
                                    .isPresent();
                    if (!(change instanceof Change.Deleted)) {
                        events.add(
                                known
                                        // Without the state before, which is not sent.
                                        ? new Change.Modified(change.revision(), object, object)
                                        : new Change.Added(change.revision(), object));
                    } else if (known || resumed) {
                        events.add(change);
                    }
                });
        return events;
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
        if (pin != null) {
            pin.close();
            pin = null;
        }
        seen = null;
    }
}
