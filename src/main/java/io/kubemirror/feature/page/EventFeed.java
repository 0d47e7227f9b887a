package io.kubemirror.feature.page;

import module java.base;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.Change;

import org.jspecify.annotations.Nullable;

/**
 * Reads the changes of all mirrors, for one viewer of the status page: first the newest of the
 * history, then those since the last call. Returns names and revisions, never contents. For one
 * thread.
 */
final class EventFeed {

    /** Maximum number of changes that a call returns, the newest. */
    static final int MAX = 300;

    private final Supplier<List<Mirror>> mirrors;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Map<Mirror, Cursor> cursors = new HashMap<>();

    /**
     * Creates a feed that starts with the history of the mirrors.
     *
     * @param mirrors returns the mirrors to read, which may change
     * @param nanos the monotonic clock of the mirrors
     */
    EventFeed(Supplier<List<Mirror>> mirrors, InstantSource clock, LongSupplier nanos) {
        this.mirrors = mirrors;
        this.clock = clock;
        this.nanos = nanos;
    }

    /**
     * A change.
     *
     * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, or {@code RELISTED} if a mirror
     *     started a new history
     * @param mirror the name of the mirror
     * @param key the object's namespace and name
     * @param revision the revision of the change
     * @param at when kubemirror received it
     */
    record FeedEvent(String type, String mirror, String key, String revision, Instant at) {}

    /** Reads the changes since the previous call, oldest first. */
    List<FeedEvent> poll() {
        List<Mirror> present = mirrors.get();
        cursors.keySet().retainAll(present);
        List<FeedEvent> found =
                present.stream()
                        .flatMap(mirror -> newest(mirror).stream())
                        .sorted(Comparator.comparing(FeedEvent::at))
                        .toList();
        return found.subList(Math.max(0, found.size() - MAX), found.size());
    }

    private Deque<FeedEvent> newest(Mirror mirror) {
        Instant started = clock.instant().minusNanos(nanos.getAsLong());
        Deque<FeedEvent> newest = new ArrayDeque<>();
        Cursor cursor = cursors.computeIfAbsent(mirror, EventFeed::begin);
        while (cursor != null) {
            switch (mirror.read(cursor)) {
                case Reading.Progress(var changes, var next) -> {
                    cursors.put(mirror, next);
                    changes.forEach(logged -> newest.add(event(mirror, logged, started)));
                    while (newest.size() > MAX) {
                        newest.remove();
                    }
                    cursor = changes.isEmpty() ? null : next;
                }
                case Reading.Expired _, Reading.Gap _, Reading.Ended _ -> {
                    newest.add(relisted(mirror));
                    cursor = null;
                }
            }
        }
        return newest;
    }

    /** Returns the beginning of the history; null if the mirror is not synchronized yet. */
    private static @Nullable Cursor begin(Mirror mirror) {
        return mirror.position().isPresent()
                        && mirror.start(mirror.floor()) instanceof StartPosition.From(Cursor start)
                ? start
                : null;
    }

    private static FeedEvent event(Mirror mirror, LoggedChange logged, Instant started) {
        Change change = logged.change();
        String type =
                switch (change) {
                    case Change.Added _ -> "ADDED";
                    case Change.Modified _ -> "MODIFIED";
                    case Change.Deleted _ -> "DELETED";
                };
        return new FeedEvent(
                type,
                mirror.scope().toString(),
                change.key().path(),
                change.revision().digits(),
                started.plusNanos(logged.nanos()));
    }

    private FeedEvent relisted(Mirror mirror) {
        cursors.remove(mirror);
        mirror.position().ifPresent(position -> cursors.put(mirror, position.cursor()));
        return new FeedEvent(
                "RELISTED",
                mirror.scope().toString(),
                "",
                mirror.revision().digits(),
                clock.instant());
    }
}
