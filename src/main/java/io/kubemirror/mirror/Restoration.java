package io.kubemirror.mirror;

import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.DeclaredFields;

import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Fills an empty mirror with the history that an earlier process has stored: a state, and the
 * changes after it. The oldest changes beyond the window of the mirror become part of the state.
 *
 * <p>Readers see nothing of it before {@link #complete}, and then all of it. Used by one thread,
 * which must end before the reflector of the mirror writes.
 */
public final class Restoration {

    static final String PROBLEM = "restored from disk; the server has not answered yet";

    private final MirrorWriter writer;
    private final MirrorMemory.Account memory;
    private final Window window;
    private final TreeMap<ObjectKey, KubeObject> state = new TreeMap<>();
    private final Deque<Entry> entries = new ArrayDeque<>();

    /** The revision of the state, and that of the last change. */
    private Revision base = Revision.ZERO;

    private Revision last = Revision.ZERO;
    private @Nullable UnknownStates lapse;
    private int changes;
    private long cost;
    private long acquired;

    Restoration(MirrorWriter writer, MirrorMemory.Account memory, Window window) {
        this.writer = writer;
        this.memory = memory;
        this.window = window;
    }

    /**
     * A change or a hidden update.
     *
     * @param object the new state, null for a deletion
     * @param nanos when it was logged, by the clock of the writer
     */
    private record Entry(
            ObjectKey key,
            @Nullable KubeObject object,
            Revision revision,
            long nanos,
            boolean isHidden) {

        private long cost() {
            return LoggedChange.OVERHEAD + 2 * bytes();
        }

        private long bytes() {
            return object == null ? 0 : object.json().length;
        }
    }

    /**
     * Adds an object of the oldest state.
     *
     * @throws OverBudgetException if there is no room for it
     */
    public void add(KubeObject object) {
        KubeObject shared = writer.interner().share(object, null);
        acquire(shared);
        if (state.put(shared.key(), shared) != null) {
            throw new IllegalStateException("the stored state has an object twice");
        }
    }

    /** Sets the revision of the oldest state. */
    public void begin(Revision revision) {
        base = revision;
        last = revision;
    }

    /** Returns the number of objects of the oldest state. */
    public int size() {
        return state.size();
    }

    /**
     * Adds the change of an object, or its creation.
     *
     * @param revision that of the change, later than every one before it
     * @param age the time since it was logged
     * @throws OverBudgetException if there is no room for it
     */
    public void upsert(KubeObject object, Revision revision, Duration age) {
        KubeObject shared = writer.interner().share(object, null);
        acquire(shared);
        log(new Entry(shared.key(), shared, revision, nanos(age), false));
    }

    /** Adds a deletion. */
    public void delete(ObjectKey key, Revision revision, Duration age) {
        log(new Entry(key, null, revision, nanos(age), false));
    }

    /** Adds an update that is no change for readers. */
    public void refresh(KubeObject object) {
        KubeObject shared = writer.interner().share(object, null);
        acquire(shared);
        push(new Entry(shared.key(), shared, last, 0, true));
    }

    private void log(Entry entry) {
        if (!entry.revision.isAfter(last)) {
            throw new IllegalStateException("the stored changes are not in order");
        }
        last = entry.revision;
        changes++;
        push(entry);
    }

    private void push(Entry entry) {
        entries.add(entry);
        cost += entry.cost();
        while (!entries.isEmpty() && (changes > window.maximum() || cost > window.bytes())) {
            fold(entries.removeFirst());
        }
    }

    /** Makes the oldest change part of the state. */
    private void fold(Entry entry) {
        cost -= entry.cost();
        if (!entry.isHidden) {
            changes--;
            base = entry.revision;
        }
        KubeObject before =
                entry.object == null ? state.remove(entry.key) : state.put(entry.key, entry.object);
        if (before == null && (entry.object == null || entry.isHidden)) {
            throw new IllegalStateException("a stored change is of an unknown object");
        }
        release(before);
    }

    private long nanos(Duration age) {
        return writer.nanos() - age.toNanos();
    }

    private void acquire(KubeObject object) {
        long size = object.heapBytes();
        memory.acquire(state.size(), acquired + size, size);
        acquired += size;
    }

    private void release(@Nullable KubeObject object) {
        if (object != null) {
            acquired -= object.heapBytes();
            memory.release(object.heapBytes());
        }
    }

    /**
     * Sets the states that the earlier process missed although clients may have seen them, when it
     * was restored itself.
     */
    public void lapsed(UnknownStates states) {
        lapse = states;
    }

    /** Gives up what was added. The mirror stays empty. */
    public void discard() {
        memory.release(acquired);
        acquired = 0;
        state.clear();
        entries.clear();
    }

    /**
     * Makes what was added the content of the mirror.
     *
     * @param type the type of the objects
     * @param revision the revision that the stored history has reached
     * @param lost the last revision that the server lost in a restore, 0 if it did not
     * @param unknown the states in the history that the earlier process has missed
     * @param now the present time
     * @param contact when the earlier process last heard from the server
     * @throws IllegalStateException if the changes do not fit the state; the mirror stays empty
     */
    public void complete(
            ResourceType type,
            DeclaredFields declared,
            Revision revision,
            Revision lost,
            List<UnknownStates> unknown,
            Instant now,
            Instant contact) {
        if (revision.isBefore(last)) {
            throw new IllegalStateException("the stored changes are not in order");
        }
        Snapshot start = Snapshot.empty(base).replaced(sorted(), base);
        check(start);
        memory.adopt(acquired);
        writer.report(new UpstreamStatus(Phase.BACKING_OFF, now, contact, PROBLEM));
        writer.restore(
                log -> {
                    log.reset(start);
                    log.reserve(changes);
                    Snapshot present = replay(log, start).at(revision);
                    if (lapse != null) {
                        log.lapse(lapse);
                    }
                    unknown.forEach(states -> log.skip(states.from(), states.to()));
                    return new View(1, type, declared, present, lost, log.recent());
                });
    }

    private TreePMap<ObjectKey, KubeObject> sorted() {
        return TreePMap.fromSortedMap(state);
    }

    /** Nothing is published if a later change is of an unknown object. */
    private void check(Snapshot start) {
        Map<ObjectKey, Boolean> known = new HashMap<>();
        for (Entry entry : entries) {
            boolean present = known.getOrDefault(entry.key, start.find(entry.key) != null);
            if (!present && (entry.object == null || entry.isHidden)) {
                throw new IllegalStateException("a stored change is of an unknown object");
            }
            known.put(entry.key, entry.object != null);
        }
    }

    private Snapshot replay(EventLog log, Snapshot start) {
        Snapshot present = start;
        for (Entry entry : entries) {
            KubeObject before = present.find(entry.key);
            if (entry.isHidden && entry.object != null && before != null) {
                present = present.with(entry.object, present.revision());
                log.refreshed(before, present);
            } else {
                Change change = change(entry, before);
                present = present.after(change);
                log.append(change, present, entry.nanos);
            }
        }
        return present;
    }

    private static Change change(Entry entry, @Nullable KubeObject before) {
        if (entry.object != null) {
            return before == null
                    ? new Change.Added(entry.revision, entry.object)
                    : new Change.Modified(entry.revision, before, entry.object);
        }
        if (before == null) {
            throw new IllegalStateException("a stored change is of an unknown object");
        }
        return new Change.Deleted(entry.revision, before);
    }
}
