package io.kubemirror.ops.page;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.Reading;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Finds objects by name, and the versions of an object in the history, for the status page. Reads
 * mirrors only. Safe for use by any thread.
 *
 * @param clock the present time
 * @param nanos the monotonic clock of the mirrors
 */
record ObjectSearch(InstantSource clock, LongSupplier nanos) {

    /** Maximum number of objects in a result. */
    private static final int FOUND = 50;

    /** Maximum number of versions of an object in a result. */
    private static final int VERSIONS = 100;

    /**
     * The objects with a name.
     *
     * @param objects those of exactly this name first
     * @param more whether there are more than these
     */
    record SearchResult(List<FoundObject> objects, boolean more) {}

    /**
     * An object that a mirror has or had.
     *
     * @param mirror the name of the mirror
     * @param key the object's namespace and name
     * @param revision the revision of its last state
     * @param deleted whether it is in the history only
     */
    record FoundObject(String mirror, String key, String revision, boolean deleted) {

        private static FoundObject of(Mirror mirror, KubeObject object, boolean deleted) {
            return new FoundObject(
                    mirror.scope().toString(),
                    object.key().path(),
                    object.revision().digits(),
                    deleted);
        }
    }

    /**
     * The states of an object that the history still has.
     *
     * @param versions the states, newest first
     * @param more the number of older ones that are not included
     * @param contents whether the page may show their differences
     */
    record ObjectVersions(List<ObjectVersion> versions, long more, boolean contents) {}

    /**
     * A state of an object.
     *
     * @param type {@code ADDED}, {@code MODIFIED}, or {@code DELETED}; {@code EARLIER} for the
     *     state before the first of these, or without any
     * @param revision the revision that led to the state
     * @param at when kubemirror received it, null for an earlier state
     */
    record ObjectVersion(String type, String revision, @Nullable Instant at) {}

    /**
     * Finds the objects that mirrors have or had within their history.
     *
     * @param name a part of the names, not empty
     */
    SearchResult search(List<Mirror> mirrors, String name) {
        List<FoundObject> exact = new ArrayList<>();
        List<FoundObject> similar = new ArrayList<>();
        for (Mirror mirror : mirrors) {
            Stream.concat(present(mirror, name), deleted(mirror, name))
                    .forEach(
                            found -> {
                                ObjectKey key = new ObjectKey(found.key());
                                List<FoundObject> kind = key.isNamed(name) ? exact : similar;
                                if (kind.size() <= FOUND) {
                                    kind.add(found);
                                }
                            });
        }
        List<FoundObject> all = Stream.concat(exact.stream(), similar.stream()).toList();
        return new SearchResult(all.stream().limit(FOUND).toList(), all.size() > FOUND);
    }

    private static Stream<FoundObject> present(Mirror mirror, String name) {
        return mirror.snapshot().stream()
                .flatMap(snapshot -> snapshot.objects().stream())
                .filter(object -> object.key().name().contains(name))
                .map(object -> FoundObject.of(mirror, object, /* deleted= */ false));
    }

    /** Returns the objects whose last change in the history is their deletion. */
    private static Stream<FoundObject> deleted(Mirror mirror, String name) {
        Map<ObjectKey, KubeObject> gone = new LinkedHashMap<>();
        read(
                mirror,
                logged -> {
                    Change change = logged.change();
                    gone.remove(change.key());
                    // More than a result has room for are not needed, only whether there are more.
                    if (change instanceof Change.Deleted
                            && gone.size() <= FOUND
                            && change.key().name().contains(name)) {
                        gone.put(change.key(), change.latest());
                    }
                });
        return gone.values().stream()
                .map(object -> FoundObject.of(mirror, object, /* deleted= */ true));
    }

    /** Returns the versions of an object in the history of a mirror. */
    ObjectVersions versions(Mirror mirror, ObjectKey key, boolean contents) {
        Deque<ObjectVersion> versions = new ArrayDeque<>();
        AtomicLong more = new AtomicLong();
        Instant now = clock.instant();
        long present = nanos.getAsLong();
        read(
                mirror,
                logged -> {
                    if (logged.change().key().equals(key)) {
                        if (versions.isEmpty()) {
                            before(logged.change())
                                    .map(ObjectSearch::earlier)
                                    .ifPresent(versions::push);
                        }
                        Instant at = now.minusNanos(present - logged.nanos());
                        versions.push(version(logged.change(), at));
                        if (versions.size() > VERSIONS) {
                            versions.removeLast();
                            more.incrementAndGet();
                        }
                    }
                });
        if (versions.isEmpty()) {
            mirror.snapshot()
                    .flatMap(snapshot -> snapshot.get(key))
                    .map(ObjectSearch::earlier)
                    .ifPresent(versions::push);
        }
        return new ObjectVersions(List.copyOf(versions), more.get(), contents);
    }

    /**
     * Returns a state of an object, empty if the history does not have it.
     *
     * @param revision the revision of a version of the object
     */
    Optional<KubeObject> state(Mirror mirror, ObjectKey key, String revision) {
        List<KubeObject> found = new ArrayList<>(1);
        mirror.snapshot()
                .flatMap(snapshot -> snapshot.get(key))
                .filter(object -> object.revision().digits().equals(revision))
                .ifPresent(found::add);
        read(
                mirror,
                logged -> {
                    Change change = logged.change();
                    if (found.isEmpty() && change.key().equals(key)) {
                        if (change.revision().digits().equals(revision)) {
                            found.add(change.latest());
                        } else {
                            before(change)
                                    .filter(old -> old.revision().digits().equals(revision))
                                    .ifPresent(found::add);
                        }
                    }
                });
        return found.stream().findFirst();
    }

    /** Reads the history, oldest first. Ends early if changes are evicted meanwhile. */
    private static void read(Mirror mirror, Consumer<LoggedChange> reader) {
        if (mirror.start(mirror.floor()) instanceof StartPosition.From(Cursor start)) {
            Cursor cursor = start;
            while (mirror.read(cursor) instanceof Reading.Progress(var changes, var next)
                    && !changes.isEmpty()) {
                changes.forEach(reader);
                cursor = next;
            }
        }
    }

    private static Optional<KubeObject> before(Change change) {
        return switch (change) {
            case Change.Added _ -> Optional.empty();
            case Change.Modified modified -> Optional.of(modified.previous());
            case Change.Deleted deleted -> Optional.of(deleted.previous());
        };
    }

    private static ObjectVersion earlier(KubeObject object) {
        return new ObjectVersion("EARLIER", object.revision().digits(), null);
    }

    private static ObjectVersion version(Change change, Instant at) {
        return new ObjectVersion(EventFeed.FeedEvent.type(change), change.revision().digits(), at);
    }
}
