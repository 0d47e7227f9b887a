package io.kubemirror.feature.page;

import module java.base;

import io.kubemirror.app.health.MirrorHistory;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;

import org.jspecify.annotations.Nullable;

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

        static FoundObject of(Mirror mirror, KubeObject object, boolean deleted) {
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
        Predicate<ObjectKey> exact = key -> key.isNamed(name);
        Predicate<ObjectKey> similar = exact.negate().and(key -> key.name().contains(name));
        List<FoundObject> found =
                Stream.of(exact, similar)
                        .flatMap(named -> mirrors.stream().flatMap(mirror -> find(mirror, named)))
                        .limit(FOUND + 1)
                        .toList();
        return new SearchResult(found.stream().limit(FOUND).toList(), found.size() > FOUND);
    }

    /** Returns what a mirror has, then what only its history has, the last deleted first. */
    private static Stream<FoundObject> find(Mirror mirror, Predicate<ObjectKey> named) {
        Snapshot present = mirror.snapshot().orElse(null);
        return present == null
                ? Stream.of()
                : Stream.concat(
                        present.objects().stream()
                                .filter(object -> named.test(object.key()))
                                .map(object -> FoundObject.of(mirror, object, false)),
                        deleted(mirror, present, named));
    }

    /** Keeps the last deletions only, one more than a result has room for. */
    private static Stream<FoundObject> deleted(
            Mirror mirror, Snapshot present, Predicate<ObjectKey> named) {
        SequencedMap<ObjectKey, KubeObject> gone = new LinkedHashMap<>();
        MirrorHistory.of(mirror)
                .map(LoggedChange::change)
                .filter(change -> change instanceof Change.Deleted && named.test(change.key()))
                .filter(change -> present.get(change.key()).isEmpty())
                .forEach(
                        change -> {
                            gone.putLast(change.key(), change.latest());
                            if (gone.size() > FOUND + 1) {
                                gone.pollFirstEntry();
                            }
                        });
        return gone.sequencedValues().reversed().stream()
                .map(object -> FoundObject.of(mirror, object, /* deleted= */ true));
    }

    /** Returns the versions of an object in the history of a mirror. */
    ObjectVersions versions(Mirror mirror, ObjectKey key, boolean contents) {
        List<ObjectVersion> newest =
                states(mirror, key).map(ObjectState::version).toList().reversed();
        int shown = Math.min(VERSIONS, newest.size());
        return new ObjectVersions(newest.subList(0, shown), newest.size() - shown, contents);
    }

    /**
     * Returns a state of an object, empty if the history does not have it.
     *
     * @param revision the revision of a version of the object
     */
    Optional<KubeObject> state(Mirror mirror, ObjectKey key, String revision) {
        return states(mirror, key)
                .filter(state -> state.version().revision().equals(revision))
                .map(ObjectState::object)
                .findFirst();
    }

    /** A version together with the object, as it is after the change. */
    private record ObjectState(ObjectVersion version, KubeObject object) {}

    /**
     * Returns the states of an object, oldest first: that before its first change in the history,
     * then that after each change. Without a change, that of the mirror, which is read first.
     */
    private Stream<ObjectState> states(Mirror mirror, ObjectKey key) {
        Instant began = clock.instant().minusNanos(nanos.getAsLong());
        Optional<KubeObject> unchanged = mirror.snapshot().flatMap(all -> all.get(key));
        Optional<KubeObject> earlier =
                changes(mirror, key)
                        .findFirst()
                        .map(logged -> before(logged.change()))
                        .orElse(unchanged);
        return Stream.concat(
                earlier.stream().map(object -> new ObjectState(earlier(object), object)),
                changes(mirror, key).map(logged -> after(logged, began.plusNanos(logged.nanos()))));
    }

    private static Stream<LoggedChange> changes(Mirror mirror, ObjectKey key) {
        return MirrorHistory.of(mirror).filter(logged -> logged.change().key().equals(key));
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

    private static ObjectState after(LoggedChange logged, Instant at) {
        Change change = logged.change();
        return new ObjectState(
                new ObjectVersion(EventFeed.FeedEvent.type(change), change.revision().digits(), at),
                change.latest());
    }
}
