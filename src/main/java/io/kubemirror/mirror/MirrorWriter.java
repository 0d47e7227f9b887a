package io.kubemirror.mirror;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.DeclaredFields;

import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The only writer of a mirror. Applies what the API server reports and publishes the result.
 *
 * <p>Used by one thread at a time. Every method that changes something publishes once, so readers
 * see a change and its revision together (list-watch.md#ca-3).
 */
public final class MirrorWriter {

    private final Mirror mirror;
    private final EventLog log;
    private final LongSupplier nanos;
    private final UpdateVisibility updates;
    private final Interner interner = new Interner();
    private final MirrorMemory memory;
    private final Limits limits;

    /** The heap memory of the objects, including those of a synchronization in progress. */
    private final MemoryBudget objects;

    /**
     * Guards the log and every publication, because other writers may shorten the log of an idle
     * one. No thread waits for a second writer's lock while it holds one.
     */
    private final ReentrantLock lock = new ReentrantLock();

    /** The size of the JSON of the stored objects. Guarded by the lock. */
    private long bytes;

    /**
     * The bytes of the log that are accounted for in the memory of all mirrors. Guarded by the
     * lock.
     */
    private long logged;

    /** The bytes acquired for the stored objects. Used by the writer's thread only. */
    private long held;

    /** The synchronization in progress. Used by the writer's thread only. */
    private @Nullable Resync current;

    /** Creates the writer of a mirror whose readers see all updates. */
    public MirrorWriter(Mirror mirror, LongSupplier nanos) {
        this(mirror, nanos, UpdateVisibility.ALL);
    }

    /**
     * Creates the writer of a mirror; there must be no other.
     *
     * @param nanos a monotonic clock in nanoseconds, such as {@link System#nanoTime}: the age of
     *     changes in the window
     * @param updates the updates of objects that readers see
     */
    public MirrorWriter(Mirror mirror, LongSupplier nanos, UpdateVisibility updates) {
        this(mirror, nanos, updates, MirrorMemory.unlimited(), Limits.NONE);
    }

    /**
     * Creates the writer of a mirror that shares its memory with others; there must be no other.
     *
     * @param nanos a monotonic clock in nanoseconds, such as {@link System#nanoTime}: the age of
     *     changes in the window
     * @param updates the updates of objects that readers see
     * @param memory the memory of objects and history
     * @param limits the limits of this mirror alone
     */
    public MirrorWriter(
            Mirror mirror,
            LongSupplier nanos,
            UpdateVisibility updates,
            MirrorMemory memory,
            Limits limits) {
        this.mirror = mirror;
        this.nanos = nanos;
        this.updates = updates;
        this.memory = memory;
        this.limits = limits;
        this.log = new EventLog(mirror.window());
        this.objects =
                memory.objects(
                        mirror.scope(), limits.bytes() == 0 ? Long.MAX_VALUE : limits.bytes());
        memory.join(this);
    }

    /**
     * The maximum size of a mirror, in addition to the shared memory.
     *
     * @param objects the number of objects, 0 for no limit
     * @param bytes the heap memory of the objects, 0 for no limit
     */
    public record Limits(long objects, long bytes) {

        /** No limits. */
        public static final Limits NONE = new Limits(0, 0);

        /** Validates the limits. */
        public Limits {
            if (objects < 0 || bytes < 0) {
                throw new IllegalArgumentException("a limit is negative");
            }
        }
    }

    /** Returns the mirror that is written. */
    public Mirror mirror() {
        return mirror;
    }

    /** Sets the type of the objects once it is known. */
    public void identify(ResourceType type) {
        identify(type, DeclaredFields.NONE);
    }

    /**
     * Sets the type of the objects and the fields that its definition declares. Content that was
     * read for other fields is dropped.
     */
    public void identify(ResourceType type, DeclaredFields declared) {
        View now = mirror.view();
        boolean other =
                !type.equals(now.type())
                        || !declared.fields().equals(mirror.declaredFields().fields());
        if (now.type() != null && other) {
            forget();
        }
        mirror.declare(declared);
        change(() -> mirror.publish(mirror.view().with(type)));
    }

    /**
     * Drops the type and the content, because the server does not serve the type any more, or
     * serves another version whose objects differ at the same revision. Ends the streams of
     * readers.
     */
    public void forget() {
        forget(null);
    }

    /**
     * Drops the content, which does not fit into the memory any more, as if the mirror had never
     * been synchronized. Ends the streams of readers.
     */
    public void drop() {
        forget(mirror.view().type());
    }

    private void forget(@Nullable ResourceType type) {
        discard();
        change(
                () -> {
                    View now = mirror.view();
                    log.reset(Snapshot.empty(Revision.ZERO));
                    bytes = 0;
                    LostHistory lost = now.lost().moved(now.revision(), Revision.ZERO);
                    mirror.publish(new View(now.era() + 1, type, null, lost, log.recent(), 0, 0));
                });
    }

    /**
     * Releases the memory of a synchronization that will not be completed; does nothing if there is
     * none.
     */
    public void discard() {
        if (current != null) {
            objects.release(current.acquired());
            current = null;
        }
    }

    /** Changes log and view, and then accounts for the memory. */
    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            memory.historyGrew(log.bytes() - logged);
            logged = log.bytes();
        } finally {
            lock.unlock();
        }
        settle();
        memory.shorten();
    }

    /** Acquires or releases memory so that it matches the stored objects. */
    private void settle() {
        Snapshot state = mirror.view().snapshot();
        long needed = state == null ? 0 : bytes + (long) KubeObject.OVERHEAD * state.size();
        if (needed > held) {
            objects.acquire(needed - held);
        } else {
            objects.release(held - needed);
        }
        held = needed;
    }

    /** Returns the number of bytes that only the history keeps reachable. For any thread. */
    long historyBytes() {
        return mirror.windowBytes();
    }

    /**
     * Evicts the oldest changes until the given number of bytes is free or the log is empty. For
     * any thread that does not hold the lock of another writer.
     */
    void shorten(long excess) {
        lock.lock();
        try {
            Snapshot state = mirror.view().snapshot();
            long freed = state == null ? 0 : log.shorten(excess, state);
            mirror.shorten(log.recent(), log.bytes());
            memory.historyGrew(-freed);
            logged = log.bytes();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Checks that an object fits and acquires the missing memory, but assigns none to the
     * collection itself.
     *
     * @param count the number of objects without it
     * @param cost the memory of all of them together with it
     * @param growth the part of that memory that is not acquired yet
     * @throws OverBudgetException if it does not fit
     */
    void acquire(long count, long cost, long growth) {
        if (limits.objects() > 0 && count >= limits.objects()) {
            throw new OverBudgetException(
                    OverBudgetException.Limit.OBJECTS, limits.objects(), count, cost);
        }
        if (growth > 0 && !memory.tryAcquire(objects, growth)) {
            boolean own = limits.bytes() > 0 && growth > objects.limit() - objects.used();
            throw own
                    ? new OverBudgetException(
                            OverBudgetException.Limit.BYTES, limits.bytes(), count, cost)
                    : new OverBudgetException(
                            OverBudgetException.Limit.SHARED, memory.limitOfObjects(), count, cost);
        }
    }

    /** See {@link Resync#expect}. */
    void expect(long count, long cost, long remaining) {
        double factor = count == 0 ? 1 : 1 + (double) remaining / count;
        if (limits.objects() > 0 && count + remaining > limits.objects()) {
            throw new OverBudgetException(
                    OverBudgetException.Limit.OBJECTS, limits.objects(), count, cost);
        }
        long allowed = Math.min(memory.limitOfObjects(), objects.limit());
        if (cost * factor > 1.5 * allowed) {
            throw new OverBudgetException(
                    limits.bytes() > 0 && allowed == limits.bytes()
                            ? OverBudgetException.Limit.BYTES
                            : OverBudgetException.Limit.SHARED,
                    allowed,
                    count,
                    cost);
        }
    }

    /** Releases memory of objects. */
    void release(long freed) {
        objects.release(freed);
    }

    /** Ensures that there is room for an object in place of another. */
    private void reserve(Snapshot before, @Nullable KubeObject previous, KubeObject object) {
        long growth = object.heapBytes() - (previous == null ? 0 : previous.heapBytes());
        acquire(previous == null ? before.size() : 0, held + growth, growth);
        held += Math.max(0, growth);
    }

    /** Publishes the warnings that the API server sends to readers of the type. */
    public void warn(List<String> warnings) {
        mirror.warn(warnings);
    }

    /** Publishes the state of the connection to the API server. */
    public void report(UpstreamStatus upstream) {
        mirror.report(upstream);
    }

    /** Records that the API server has answered or sent something. */
    public void contacted(Instant now) {
        mirror.report(mirror.upstream().contacted(now));
    }

    /**
     * Stores an object in its present state. The store decides whether that is a creation or a
     * modification, not the server (list-watch.md#ev-7, #ev-8).
     *
     * @throws IllegalStateException before the first synchronization
     */
    public Applied upsert(KubeObject received) {
        Snapshot before = synced();
        if (!received.revision().isAfter(before.revision())) {
            return Applied.DUPLICATE;
        }
        KubeObject previous = before.find(received.key());
        KubeObject object = interner.share(received, previous);
        if (previous != null && !previous.uid().equals(object.uid())) {
            return replace(before, previous, object);
        }
        reserve(before, previous, object);
        if (previous != null && updates.hide(previous, object)) {
            change(() -> publish(refresh(before, previous, object), mirror.view().era()));
            return Applied.HIDDEN;
        }
        Change change =
                previous == null
                        ? new Change.Added(object.revision(), object)
                        : new Change.Modified(object.revision(), previous, object);
        change(() -> publish(append(change, before), mirror.view().era()));
        return Applied.CHANGED;
    }

    /**
     * Removes an object (list-watch.md#ev-5, #ev-9).
     *
     * @param revision the revision of the deletion
     * @throws IllegalStateException before the first synchronization
     */
    public Applied delete(ObjectKey key, Revision revision) {
        Snapshot before = synced();
        if (!revision.isAfter(before.revision())) {
            return Applied.DUPLICATE;
        }
        KubeObject previous = before.find(key);
        if (previous == null) {
            bookmark(revision);
            return Applied.UNKNOWN;
        }
        Change change = new Change.Deleted(revision, previous);
        change(() -> publish(append(change, before), mirror.view().era()));
        return Applied.CHANGED;
    }

    /**
     * Advances the revision without a change (list-watch.md#up-44); ignores an older one.
     *
     * @throws IllegalStateException before the first synchronization
     */
    public void bookmark(Revision revision) {
        Snapshot before = synced();
        if (revision.isAfter(before.revision())) {
            change(() -> publish(before.at(revision), mirror.view().era()));
        }
    }

    /**
     * Begins to replace the content by a complete list. Readers see none of it before {@link
     * Resync#complete}.
     */
    public Resync resync() {
        return begin(/* afterLoss= */ false);
    }

    /**
     * Begins a synchronization with a server that may have been restored from a backup and may have
     * assigned revisions again. An object with a known revision may therefore still have other
     * content (list-watch.md#re-12).
     */
    public Resync resyncAfterLoss() {
        return begin(/* afterLoss= */ true);
    }

    private Resync begin(boolean afterLoss) {
        discard();
        Resync resync = new Resync(this, afterLoss);
        current = resync;
        return resync;
    }

    /** The effect of an event. */
    public enum Applied {
        /** The collection changed. */
        CHANGED,
        /**
         * The update changed only members that are dropped. The object has a new revision, and
         * readers see no change (list-watch.md#ca-4).
         */
        HIDDEN,
        /**
         * The event was applied before: its revision is not later than the mirror's
         * (list-watch.md#up-45).
         */
        DUPLICATE,
        /**
         * The event deleted an unknown object, so only the revision advanced (list-watch.md#ev-9).
         */
        UNKNOWN,
        /**
         * The event contradicts earlier events. Nothing was applied, and a new list is required.
         */
        CONTRADICTION
    }

    private Applied replace(Snapshot before, KubeObject old, KubeObject object) {
        Revision deletion = before.revision().next();
        if (!deletion.isBefore(object.revision())) {
            return Applied.CONTRADICTION;
        }
        reserve(before, old, object);
        change(
                () -> {
                    Snapshot between = append(new Change.Deleted(deletion, old), before);
                    Change added = new Change.Added(object.revision(), object);
                    publish(append(added, between), mirror.view().era());
                });
        return Applied.CHANGED;
    }

    private Snapshot append(Change change, Snapshot before) {
        Snapshot after =
                switch (change) {
                    case Change.Added added -> before.with(added.object(), change.revision());
                    case Change.Modified modified ->
                            before.with(modified.object(), change.revision());
                    case Change.Deleted deleted -> before.without(deleted.key(), change.revision());
                };
        bytes += growth(change);
        log.append(change, after, nanos.getAsLong());
        return after;
    }

    /** Stores an object of which only the revision differs; the collection may be older. */
    private Snapshot refresh(Snapshot before, KubeObject known, KubeObject object) {
        bytes += growth(known, object);
        Snapshot after = before.with(object, Revision.later(before.revision(), object.revision()));
        log.refreshed(known, after);
        return after;
    }

    private static long growth(KubeObject known, KubeObject object) {
        return object.json().length - (long) known.json().length;
    }

    private static long growth(Change change) {
        return switch (change) {
            case Change.Added added -> added.object().json().length;
            case Change.Modified modified -> growth(modified.previous(), modified.object());
            case Change.Deleted deleted -> -deleted.previous().json().length;
        };
    }

    private Snapshot synced() {
        Snapshot snapshot = mirror.view().snapshot();
        if (snapshot == null) {
            throw new IllegalStateException("no event can be applied before the first list");
        }
        return snapshot;
    }

    private void publish(Snapshot state, long era) {
        View now = mirror.view();
        LostHistory lost = now.lost().moved(now.revision(), state.revision());
        mirror.publish(new View(era, now.type(), state, lost, log.recent(), bytes, log.bytes()));
    }

    @Nullable Snapshot present() {
        return mirror.view().snapshot();
    }

    Window window() {
        return mirror.window();
    }

    UpdateVisibility updates() {
        return updates;
    }

    Interner interner() {
        return interner;
    }

    /**
     * Appends changes in revision order, stores hidden updates, and advances to the revision of the
     * list, in one publication (list-watch.md#re-5, #re-10).
     */
    void bridge(Bridge bridge, Revision revision) {
        adopt();
        change(() -> cross(bridge, revision));
    }

    private void cross(Bridge bridge, Revision revision) {
        Snapshot state = synced();
        for (Change change : bridge.changes()) {
            state = append(change, state);
        }
        for (KubeObject object : bridge.hidden()) {
            state = refresh(state, state.get(object.key()).orElseThrow(), object);
        }
        publish(state.at(revision), mirror.view().era());
    }

    /**
     * Begins a new history: the streams of all readers end, and older revisions are expired
     * (list-watch.md#re-1).
     */
    void reset(TreePMap<ObjectKey, KubeObject> objects, Revision revision) {
        Snapshot before = mirror.view().snapshot();
        Snapshot state =
                (before == null ? Snapshot.empty(revision) : before).replaced(objects, revision);
        adopt();
        change(
                () -> {
                    bytes =
                            objects.values().stream()
                                    .mapToLong(object -> object.json().length)
                                    .sum();
                    log.reset(state);
                    publish(state, mirror.view().era() + 1);
                });
    }

    /** Assigns the memory of a complete synchronization to the collection. */
    private void adopt() {
        if (current != null) {
            held += current.acquired();
            current = null;
        }
    }
}
