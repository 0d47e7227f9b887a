package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.mirror.Coverage.UnknownStates;
import io.kubemirror.mirror.MirrorMemory.Limits;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.DeclaredFields;

import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * The only writer of a mirror. Applies what the API server reports and publishes the result.
 *
 * <p>Used by one thread at a time. Every method that changes something publishes once, so readers
 * see a change and its revision together (list-watch.md#ca-1). Other writers may shorten the log of
 * an idle one. No thread waits for a second lock while it holds one.
 */
public final class MirrorWriter {

    private final Mirror mirror;
    private final EventLog log;
    private final LongSupplier nanos;
    private final Interner interner = new Interner();
    private final MirrorMemory.Account memory;
    private final MirrorMemory shared;

    /** Guards the log and every publication, because other writers may shorten the log. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Whether nothing counts any more. Written under the lock. */
    private volatile boolean ended;

    /** The synchronization in progress. Used by the writer's thread only. */
    private @Nullable Resync current;

    /** Whether the content is that of an earlier process. Used by the writer's thread only. */
    private boolean restored;

    /** When the server showed what is published next. Used by the writer's thread only. */
    private Instant contact = Instant.EPOCH;

    /** Called before readers see content that does not follow from the log. */
    private volatile Runnable replacement = () -> {};

    /** Changes before {@link #replacement} is called, and after readers see the content. */
    private final AtomicLong replacements = new AtomicLong();

    /**
     * Creates the only writer of a mirror.
     *
     * @param nanos a monotonic clock in nanoseconds, which tells the age of changes in the window
     * @param shared the memory of objects and history of all mirrors
     * @param limits the limits of this mirror alone
     */
    public MirrorWriter(Mirror mirror, LongSupplier nanos, MirrorMemory shared, Limits limits) {
        this.mirror = mirror;
        this.nanos = nanos;
        this.shared = shared;
        this.log = new EventLog(mirror.window());
        // Last. Other writers use this one only when they find history in a view that it published.
        this.memory = shared.join(this, limits);
    }

    /** Returns the mirror that is written. */
    public Mirror mirror() {
        return mirror;
    }

    /**
     * Sets the type of the objects and the fields that its definition declares. Content that was
     * read for other fields is dropped.
     */
    public void identify(ResourceType type, DeclaredFields declared) {
        View now = mirror.view();
        boolean other =
                !type.equals(now.type()) || !declared.fields().equals(now.declared().fields());
        if (now.type() != null && other) {
            forget();
        }
        publish(_ -> mirror.view().with(type, declared));
    }

    /**
     * Drops the type and the content, because the server does not serve the type any more, or with
     * other objects at the same revision. Ends the streams of readers.
     */
    public void forget() {
        forget(null);
    }

    /** Drops the content, which does not fit into the memory. Ends the streams of readers. */
    public void drop() {
        forget(mirror.view().type());
    }

    private void forget(@Nullable ResourceType type) {
        discard();
        restart(type, last().replaced(TreePMap.empty(), Revision.ZERO), null);
    }

    /** Releases the memory of a synchronization that will not be completed, if there is one. */
    public void discard() {
        if (current != null) {
            memory.release(current.acquired());
            current = null;
        }
    }

    /** Returns all memory, because the mirror has been removed. Its readers keep the last state. */
    public void end() {
        discard();
        memory.hold(0);
        locked(
                _ -> {
                    ended = true;
                    memory.logged(0);
                });
        shared.shorten();
    }

    /** Returns whether it has ended, and no reader keeps a state. */
    boolean isDone() {
        return ended && mirror.pins().isEmpty();
    }

    /** Publishes the state of the connection to the API server. */
    public void report(UpstreamStatus upstream) {
        mirror.report(upstream);
    }

    /** Sets when the server showed what is applied next. Readers learn of both at once. */
    public void contacted(Instant now) {
        contact = now;
    }

    /**
     * Stores an object in its present state. The store decides whether that is a creation or a
     * modification, not the server (list-watch.md#ev-7).
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
        memory.reserve(before, previous, object);
        if (previous == null) {
            return apply(before, new Change.Added(object.revision(), object));
        }
        return apply(before, new Change.Modified(object.revision(), previous, object));
    }

    /**
     * Removes an object (list-watch.md#ev-5, #ev-7). Deletions of one transaction share a revision.
     *
     * @param revision the revision of the deletion
     * @throws IllegalStateException before the first synchronization
     */
    public Applied delete(ObjectKey key, Revision revision) {
        Snapshot before = synced();
        KubeObject previous = before.find(key);
        Revision next = previous == null ? revision : revision.following(before.revision());
        if (!next.follows(before.revision())) {
            return Applied.DUPLICATE;
        }
        if (previous == null) {
            bookmark(revision);
            return Applied.UNKNOWN;
        }
        return apply(before, new Change.Deleted(next, previous));
    }

    /**
     * Advances the revision without a change (list-watch.md#up-44); ignores an older one.
     *
     * @throws IllegalStateException before the first synchronization
     */
    public void bookmark(Revision revision) {
        Snapshot before = synced();
        if (revision.isAfter(before.revision())) {
            publish(_ -> moved(before.at(revision)));
        }
    }

    /**
     * Advances to a revision at which the server has the same objects; what was between is unknown.
     *
     * @throws IllegalStateException before the first synchronization
     */
    public void confirm(Revision revision) {
        Snapshot before = synced();
        if (revision.isAfter(before.revision())) {
            publish(
                    _ -> {
                        log.skip(new UnknownStates(before.revision(), revision));
                        return moved(before.at(revision));
                    });
        }
    }

    /**
     * Begins to replace the content by a complete list. Readers see none of it before {@link
     * Resync#complete}.
     */
    public Resync resync() {
        discard();
        Resync resync = new Resync(this, memory);
        current = resync;
        return resync;
    }

    /** Begins to fill an empty mirror with the history that an earlier process has stored. */
    public Restoration restoration() {
        return new Restoration(this, memory);
    }

    /** Replaces the history by that of an earlier process. */
    void restore(Function<EventLog, View> history) {
        restored = true;
        publish(history);
    }

    /**
     * Returns whether the content is that of an earlier process and no list has confirmed it, so
     * that the server may be another one.
     */
    public boolean isRestored() {
        return restored;
    }

    /** Records that the server is the one whose content was restored. */
    public void confirmRestored() {
        restored = false;
    }

    /**
     * Sets what is called before readers see content that does not follow from the log, as after a
     * list. A copy of the mirror must be unusable when it returns: readers of the new content may
     * hold revisions that have another meaning in the copy. The thread of the writer calls it, and
     * holds no lock. It must wait for nothing, and report its failures itself.
     */
    public void beforeReplacement(Runnable action) {
        replacement = action;
    }

    /**
     * Returns a number that is the same as long as the content follows from the log, and odd while
     * readers are about to see other content. A copy that gets known to {@link #beforeReplacement}
     * first and finds the number unchanged then is marked by the next replacement.
     */
    public long replacements() {
        return replacements.get();
    }

    private Applied replace(Snapshot before, KubeObject old, KubeObject object) {
        Revision deletion = before.revision().next();
        if (!deletion.isBefore(object.revision())) {
            return Applied.CONTRADICTION;
        }
        memory.reserve(before, old, object);
        return apply(
                before,
                new Change.Deleted(deletion, old),
                new Change.Added(object.revision(), object));
    }

    private Applied apply(Snapshot before, Change... changes) {
        publish(_ -> moved(append(before, List.of(changes))));
        return Applied.CHANGED;
    }

    private Snapshot append(Snapshot before, List<Change> changes) {
        Snapshot state = before;
        for (Change change : changes) {
            state = state.after(change);
            log.append(change, state, nanos());
        }
        return state;
    }

    private Snapshot synced() {
        Snapshot snapshot = mirror.view().snapshot();
        if (snapshot == null) {
            throw new IllegalStateException("cannot apply events before the first list");
        }
        return snapshot;
    }

    /** Returns the present state, or one without objects that continues the counts of the last. */
    private Snapshot last() {
        View now = mirror.view();
        return now.snapshot() == null ? now.recent().base() : now.snapshot();
    }

    private View moved(Snapshot state) {
        return mirror.view().moved(state, log.recent());
    }

    long nanos() {
        return nanos.getAsLong();
    }

    Interner interner() {
        return interner;
    }

    /**
     * Appends changes in revision order, and advances to the revision of the list, in one
     * publication (list-watch.md#re-5, #re-10).
     */
    void cross(Bridge bridge, Revision revision) {
        current = null;
        Revision before = synced().revision();
        UnknownStates missed = new UnknownStates(before, revision);
        Function<EventLog, View> crossing =
                _ -> {
                    log.skip(missed);
                    restored = false;
                    return moved(append(synced(), bridge.changes()).at(revision));
                };
        if (bridge.changes().isEmpty()) {
            // No revision is invented, so a copy of the mirror goes on.
            publish(crossing);
        } else {
            publishOther(crossing);
        }
    }

    /**
     * Begins a new history: the streams of all readers end, and older revisions are expired
     * (list-watch.md#re-1).
     */
    void reset(TreePMap<ObjectKey, KubeObject> objects, Revision revision) {
        Snapshot state = last().replaced(objects, revision);
        current = null;
        restart(mirror.view().type(), state, state);
    }

    private void restart(@Nullable ResourceType type, Snapshot base, @Nullable Snapshot shown) {
        restored = false;
        publishOther(_ -> restarted(type, base, shown));
    }

    private View restarted(@Nullable ResourceType type, Snapshot base, @Nullable Snapshot shown) {
        log.reset(base);
        return mirror.view().restarted(type, shown, log.recent());
    }

    /**
     * Changes the log, publishes the view that results, and then accounts for the memory. For the
     * thread of the writer only.
     */
    void publish(Function<EventLog, View> change) {
        update(() -> mirror.publish(change.apply(log).shown(contact)));
        Snapshot state = mirror.view().snapshot();
        memory.hold(
                (state == null ? 0 : state.heapBytes())
                        + (current == null ? 0 : current.acquired()));
        shared.shorten();
    }

    /**
     * Does the same with content that does not follow from the log. A copy of the mirror is marked
     * as unusable before readers see the content, while no lock is held.
     */
    private void publishOther(Function<EventLog, View> change) {
        replacements.incrementAndGet();
        try {
            replacement.run();
        } catch (RuntimeException | Error _) {
            // A copy that fails must not take the mirror with it.
        }
        try {
            publish(change);
        } finally {
            replacements.incrementAndGet();
        }
    }

    /** Runs something while no other thread publishes or shortens the log. */
    void locked(Consumer<EventLog> action) {
        lock.lock();
        try {
            action.accept(log);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Evicts the oldest changes until the given number of bytes is free or the log is empty. For
     * any thread that does not hold the lock of another one.
     */
    void shorten(long excess) {
        update(
                () -> {
                    log.shorten(excess);
                    mirror.shorten(log.recent());
                });
    }

    private void update(Runnable step) {
        locked(
                _ -> {
                    runOrRestart(step);
                    memory.logged(ended ? 0 : log.bytes());
                });
    }

    /**
     * What has been done to the log cannot be undone, and readers wait for the view that goes with
     * it: the history restarts with the present state.
     */
    private void runOrRestart(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error failed) {
            View now = mirror.view();
            mirror.publish(restarted(now.type(), last(), now.snapshot()));
            throw failed;
        }
    }

    /** The effect of an event on a mirror. */
    public enum Applied {
        /** The collection changed. */
        CHANGED,
        /**
         * The event was applied before: its revision is not later than the mirror's
         * (list-watch.md#up-45).
         */
        DUPLICATE,
        /**
         * The event deleted an unknown object, so only the revision advanced (list-watch.md#ev-7).
         */
        UNKNOWN,
        /**
         * The event contradicts earlier events. Nothing was applied, and a new list is required.
         */
        CONTRADICTION
    }
}
