package io.kubemirror.mirror;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.model.Change;
import io.kubemirror.model.DeclaredFields;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The one writer of a mirror: applies what the API server reports and publishes the result.
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

    /** What the objects, and those of a synchronization under way, need on the heap. */
    private final MemoryBudget objects;

    /**
     * Guards the log and every publication, because other writers shorten the log of one that has
     * nothing to do. Nobody waits for a second lock while holding one.
     */
    private final ReentrantLock lock = new ReentrantLock();

    /** Of the stored objects' JSON. Guarded by the lock. */
    private long bytes;

    /** What the memory of all mirrors knows of the log's bytes. Guarded by the lock. */
    private long logged;

    /** What is acquired for the stored objects. Used by the writer's thread alone. */
    private long held;

    /** The synchronization under way. Used by the writer's thread alone. */
    private @Nullable Resync current;

    /** The writer of a mirror whose readers are told of all updates. */
    public MirrorWriter(Mirror mirror, LongSupplier nanos) {
        this(mirror, nanos, UpdateVisibility.ALL);
    }

    /**
     * The writer of a mirror; there must be no other.
     *
     * @param mirror the mirror to write
     * @param nanos a monotonic clock in nanoseconds, such as {@link System#nanoTime}: the age of
     *     changes in the window
     * @param updates which updates of objects readers are told of
     */
    public MirrorWriter(Mirror mirror, LongSupplier nanos, UpdateVisibility updates) {
        this(mirror, nanos, updates, MirrorMemory.unlimited(), Limits.NONE);
    }

    /**
     * The writer of a mirror that shares its memory with others; there must be no other.
     *
     * @param mirror the mirror to write
     * @param nanos a monotonic clock in nanoseconds, such as {@link System#nanoTime}: the age of
     *     changes in the window
     * @param updates which updates of objects readers are told of
     * @param memory what objects and history draw from
     * @param limits of this mirror alone
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
     * How large a mirror may become, whatever memory there is.
     *
     * @param objects the number of objects, 0 for no limit
     * @param bytes the memory that they need, 0 for no limit
     */
    public record Limits(long objects, long bytes) {

        /** No limits. */
        public static final Limits NONE = new Limits(0, 0);

        /** Checks the numbers. */
        public Limits {
            if (objects < 0 || bytes < 0) {
                throw new IllegalArgumentException("a limit is negative");
            }
        }
    }

    /** The mirror that is written. */
    public Mirror mirror() {
        return mirror;
    }

    /** Names the type of the objects, as soon as it is known. */
    public void identify(ResourceType type) {
        identify(type, DeclaredFields.NONE);
    }

    /**
     * Names the type of the objects and the fields that its definition declares. Content that was
     * read for others is dropped.
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
     * Drops type and content, as the server has the type no more, or in another version whose
     * objects look different at the same revision; readers' streams end.
     */
    public void forget() {
        forget(null);
    }

    /**
     * Drops the content, which does not fit into the memory any more, as if the mirror had never
     * been synchronized; readers' streams end.
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
     * Gives back what a synchronization that will not be completed has acquired; does nothing if
     * there is none.
     */
    public void discard() {
        if (current != null) {
            objects.release(current.acquired());
            current = null;
        }
    }

    /** Changes log and view, and then lets the memory know of it. */
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

    /** Acquires what the stored objects need now, or gives back what they do not need any more. */
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

    /** What the history keeps alive, in bytes. For any thread. */
    long historyBytes() {
        return mirror.windowBytes();
    }

    /**
     * Evicts the oldest changes until so many bytes have become free or nothing is left. For any
     * thread that does not hold the lock of another writer.
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
     * Makes sure that an object fits, without acquiring anything for the collection itself.
     *
     * @param count how many objects there are without it
     * @param cost what all of them need together with it
     * @param growth what of that is not acquired yet
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

    /** Gives back memory of objects. */
    void release(long freed) {
        objects.release(freed);
    }

    /** Makes sure that there is room for an object in place of another. */
    private void reserve(Snapshot before, @Nullable KubeObject previous, KubeObject object) {
        long growth = object.heapBytes() - (previous == null ? 0 : previous.heapBytes());
        acquire(previous == null ? before.size() : 0, held + growth, growth);
        held += Math.max(0, growth);
    }

    /** Tells readers what the API server warns of whoever reads the type. */
    public void warn(List<String> warnings) {
        mirror.warn(warnings);
    }

    /** Tells readers how the mirror stands with its API server. */
    public void report(UpstreamStatus upstream) {
        mirror.report(upstream);
    }

    /** Notes a sign of life of the API server. */
    public void contacted(Instant now) {
        mirror.report(mirror.upstream().contacted(now));
    }

    /**
     * Stores an object as it is now; whether that is a creation or a modification the store
     * decides, not the server (list-watch.md#ev-7, #ev-8).
     *
     * @throws IllegalStateException before the first synchronisation
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
     * @param key which object
     * @param revision the revision of the deletion
     * @throws IllegalStateException before the first synchronisation
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
     * Moves the revision without a change (list-watch.md#up-44); an older one is ignored.
     *
     * @throws IllegalStateException before the first synchronisation
     */
    public void bookmark(Revision revision) {
        Snapshot before = synced();
        if (revision.isAfter(before.revision())) {
            change(() -> publish(before.at(revision), mirror.view().era()));
        }
    }

    /**
     * Begins to replace the content by a complete list; nothing of it is visible before {@link
     * Resync#complete}.
     */
    public Resync resync() {
        return begin(/* afterLoss= */ false);
    }

    /**
     * Begins the same with the list of a server that may have been restored from a backup and given
     * revisions out again: what has a known revision may still be something else
     * (list-watch.md#re-12).
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

    /** What became of an event. */
    public enum Applied {
        /** The collection is another now. */
        CHANGED,
        /**
         * It was an update in what is dropped, so the object has only another revision and readers
         * are told nothing (list-watch.md#ca-4).
         */
        HIDDEN,
        /**
         * It was known already: its revision is not later than the mirror's (list-watch.md#up-45).
         */
        DUPLICATE,
        /**
         * It was a deletion of something unknown, so only the revision moved (list-watch.md#ev-9).
         */
        UNKNOWN,
        /**
         * It cannot be true after what was reported before; nothing was applied, and only a new
         * list can tell.
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

    /** Stores an object of which only the revision is another; the collection may be older. */
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
     * Appends changes in revision order, stores what readers need not be told of, and moves on to
     * the list's revision, in one publication (list-watch.md#re-5, #re-10).
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
     * Begins a new history: every reader's stream ends and older revisions are expired
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

    /** What a complete synchronization has acquired is the collection's from now on. */
    private void adopt() {
        if (current != null) {
            held += current.acquired();
            current = null;
        }
    }
}
