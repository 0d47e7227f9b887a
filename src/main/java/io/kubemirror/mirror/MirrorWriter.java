package io.kubemirror.mirror;

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
import java.util.function.LongSupplier;

/**
 * The one writer of a mirror: applies what the API server reports and publishes the result.
 *
 * <p>Used by one thread at a time. Every method that changes something publishes once, so readers
 * see a change and its revision together (CA-3).
 */
public final class MirrorWriter {

    private final Mirror mirror;
    private final EventLog log;
    private final LongSupplier nanos;
    private final Updates updates;
    private final Sharing sharing = new Sharing();
    private long bytes;

    /** The writer of a mirror whose readers are told of all updates. */
    public MirrorWriter(Mirror mirror, LongSupplier nanos) {
        this(mirror, nanos, Updates.ALL);
    }

    /**
     * The writer of a mirror; there must be no other.
     *
     * @param mirror the mirror to write
     * @param nanos a monotonic clock in nanoseconds, such as {@link System#nanoTime}: the age of
     *     changes in the window
     * @param updates which updates of objects readers are told of
     */
    public MirrorWriter(Mirror mirror, LongSupplier nanos, Updates updates) {
        this.mirror = mirror;
        this.nanos = nanos;
        this.updates = updates;
        this.log = new EventLog(mirror.window());
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
        mirror.publish(mirror.view().with(type));
    }

    /**
     * Drops type and content, as the server has the type no more, or in another version whose
     * objects look different at the same revision; readers' streams end.
     */
    public void forget() {
        View now = mirror.view();
        log.reset(Snapshot.empty(Revision.ZERO));
        bytes = 0;
        LostHistory lost = now.lost().moved(now.revision(), Revision.ZERO);
        mirror.publish(new View(now.era() + 1, null, null, lost, log.recent(), 0, 0));
    }

    /** Tells readers what the API server warns of whoever reads the type. */
    public void warn(List<String> warnings) {
        mirror.warn(warnings);
    }

    /** Tells readers how the mirror stands with its API server. */
    public void report(Upstream upstream) {
        mirror.report(upstream);
    }

    /** Notes a sign of life of the API server. */
    public void contacted(Instant now) {
        mirror.report(mirror.upstream().contacted(now));
    }

    /**
     * Stores an object as it is now; whether that is a creation or a modification the store
     * decides, not the server (EV-7, EV-8).
     *
     * @throws IllegalStateException before the first synchronisation
     */
    public Applied upsert(KubeObject received) {
        Snapshot before = synced();
        if (!received.revision().isAfter(before.revision())) {
            return Applied.DUPLICATE;
        }
        KubeObject previous = before.find(received.key());
        KubeObject object = sharing.share(received, previous);
        if (previous != null && !previous.uid().equals(object.uid())) {
            return replace(before, previous, object);
        }
        if (previous != null && updates.hide(previous, object)) {
            publish(refresh(before, previous, object), mirror.view().era());
            return Applied.HIDDEN;
        }
        Change change =
                previous == null
                        ? new Change.Added(object.revision(), object)
                        : new Change.Modified(object.revision(), previous, object);
        publish(append(change, before), mirror.view().era());
        return Applied.CHANGED;
    }

    /**
     * Removes an object (EV-5, EV-9).
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
        publish(append(new Change.Deleted(revision, previous), before), mirror.view().era());
        return Applied.CHANGED;
    }

    /**
     * Moves the revision without a change (UP-44); an older one is ignored.
     *
     * @throws IllegalStateException before the first synchronisation
     */
    public void bookmark(Revision revision) {
        Snapshot before = synced();
        if (revision.isAfter(before.revision())) {
            publish(before.at(revision), mirror.view().era());
        }
    }

    /**
     * Begins to replace the content by a complete list; nothing of it is visible before {@link
     * Resync#complete}.
     */
    public Resync resync() {
        return new Resync(this, false);
    }

    /**
     * Begins the same with the list of a server that may have been restored from a backup and given
     * revisions out again: what has a known revision may still be something else (RE-12).
     */
    public Resync resyncAfterLoss() {
        return new Resync(this, true);
    }

    /** What became of an event. */
    public enum Applied {
        /** The collection is another now. */
        CHANGED,
        /**
         * It was an update in what is dropped, so the object has only another revision and readers
         * are told nothing (CA-4).
         */
        HIDDEN,
        /** It was known already: its revision is not later than the mirror's (UP-45). */
        DUPLICATE,
        /** It was a deletion of something unknown, so only the revision moved (EV-9). */
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
        Snapshot between = append(new Change.Deleted(deletion, old), before);
        publish(append(new Change.Added(object.revision(), object), between), mirror.view().era());
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

    Updates updates() {
        return updates;
    }

    Sharing sharing() {
        return sharing;
    }

    /**
     * Appends changes in revision order, stores what readers need not be told of, and moves on to
     * the list's revision, in one publication (RE-5, RE-10).
     */
    void bridge(Bridge bridge, Revision revision) {
        Snapshot state = synced();
        for (Change change : bridge.changes()) {
            state = append(change, state);
        }
        for (KubeObject object : bridge.hidden()) {
            state = refresh(state, state.get(object.key()).orElseThrow(), object);
        }
        publish(state.at(revision), mirror.view().era());
    }

    /** Begins a new history: every reader's stream ends and older revisions are expired (RE-1). */
    void reset(TreePMap<ObjectKey, KubeObject> objects, Revision revision) {
        Snapshot before = mirror.view().snapshot();
        Snapshot state =
                (before == null ? Snapshot.empty(revision) : before).replaced(objects, revision);
        bytes = objects.values().stream().mapToLong(object -> object.json().length).sum();
        log.reset(state);
        publish(state, mirror.view().era() + 1);
    }
}
