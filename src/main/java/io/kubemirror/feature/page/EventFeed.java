package io.kubemirror.feature.page;

import static java.util.Comparator.comparing;

import module java.base;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.Change;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

/**
 * Reads the changes of all mirrors, for the status page: first those in the history, then those
 * since the last call. Returns names and revisions, never contents. Without calls it costs nothing.
 * If calls are rare, it returns the newest changes and the number of the others. Created by one
 * thread and used by one other, which starts later.
 *
 * <p>Rejected: a watch of kubemirror's own API for each viewer, whose events are whole objects.
 */
final class EventFeed {

    /** Maximum number of changes per batch. */
    static final int SHOWN = 300;

    /**
     * Maximum number of changes of a mirror to read per batch; the rest is only counted. The first
     * batch reads the whole history, because its newest changes are the last to be read.
     */
    private static final int EXAMINED = 5_000;

    private final Supplier<List<Mirror>> mirrors;
    private final Selection selection;
    private final String name;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Map<Mirror, Cursor> cursors = new HashMap<>();

    /**
     * Creates a feed that starts with the history of the mirrors.
     *
     * @param mirrors returns the mirrors to read, which may change
     * @param selection selects the changes
     * @param name a part of the names of the objects, empty for any name
     * @param nanos the monotonic clock of the mirrors
     */
    EventFeed(
            Supplier<List<Mirror>> mirrors,
            Selection selection,
            String name,
            InstantSource clock,
            LongSupplier nanos) {
        this.mirrors = mirrors;
        this.selection = selection;
        this.name = name;
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
    record FeedEvent(String type, String mirror, String key, String revision, Instant at) {

        /** Returns the type of the event for a change. */
        static String type(Change change) {
            return switch (change) {
                case Change.Added _ -> "ADDED";
                case Change.Modified _ -> "MODIFIED";
                case Change.Deleted _ -> "DELETED";
            };
        }
    }

    /**
     * The changes since the previous batch.
     *
     * @param changes the changes, oldest first
     * @param more the number of changes that are not included
     */
    record Batch(List<FeedEvent> changes, long more) {

        boolean isEmpty() {
            return changes.isEmpty() && more == 0;
        }
    }

    /** Reads the changes since the previous call, those of the history in the first. */
    Batch poll() {
        List<FeedEvent> found = new ArrayList<>();
        long more = 0;
        List<Mirror> present = mirrors.get();
        cursors.keySet().retainAll(present);
        for (Mirror mirror : present) {
            Deque<FeedEvent> newest = new ArrayDeque<>();
            Cursor cursor = cursors.get(mirror);
            more +=
                    cursor == null
                            ? read(mirror, begin(mirror), Integer.MAX_VALUE, newest)
                            : read(mirror, cursor, EXAMINED, newest);
            found.addAll(newest);
        }
        found.sort(comparing(FeedEvent::at));
        // Only the newest are included.
        int left = Math.max(0, found.size() - SHOWN);
        return new Batch(List.copyOf(found.subList(left, found.size())), more + left);
    }

    /** Returns the beginning of the history; null if the mirror is not synchronized yet. */
    private @Nullable Cursor begin(Mirror mirror) {
        beginAtPresent(mirror);
        return cursors.containsKey(mirror)
                        && mirror.start(mirror.floor()) instanceof StartPosition.From(Cursor start)
                ? start
                : null;
    }

    /**
     * Adds the newest changes of a mirror, and returns the number of changes that are not added.
     */
    private long read(Mirror mirror, @Nullable Cursor from, int limit, Deque<FeedEvent> newest) {
        Cursor cursor = from;
        int examined = 0;
        long more = 0;
        while (cursor != null && examined < limit) {
            switch (mirror.read(cursor)) {
                case Reading.Progress(var changes, var next) -> {
                    cursors.put(mirror, next);
                    more += add(mirror, changes, newest);
                    examined += changes.size();
                    cursor = changes.isEmpty() ? null : next;
                }
                case Reading.Expired _, Reading.Gap _, Reading.Ended _ -> {
                    beginAtPresent(mirror);
                    String revision = mirror.revision().digits();
                    newest.add(
                            new FeedEvent(
                                    "RELISTED",
                                    mirror.scope().toString(),
                                    "",
                                    revision,
                                    clock.instant()));
                    cursor = null;
                }
            }
        }
        return cursor == null ? more : more + skip(mirror, cursor);
    }

    private long skip(Mirror mirror, Cursor reached) {
        long skipped = mirror.backlog(reached, 0).changes();
        beginAtPresent(mirror);
        return skipped;
    }

    private void beginAtPresent(Mirror mirror) {
        cursors.remove(mirror);
        mirror.position().ifPresent(position -> cursors.put(mirror, position.cursor()));
    }

    /** Adds what is selected, and returns the number of older changes that had to leave. */
    private int add(Mirror mirror, List<LoggedChange> changes, Deque<FeedEvent> newest) {
        Instant started = clock.instant().minusNanos(nanos.getAsLong());
        for (LoggedChange logged : changes) {
            if (logged.change().key().name().contains(name)) {
                selection
                        .view(logged.change())
                        .ifPresent(
                                seen ->
                                        newest.add(
                                                new FeedEvent(
                                                        FeedEvent.type(seen),
                                                        mirror.scope().toString(),
                                                        seen.key().path(),
                                                        seen.revision().digits(),
                                                        started.plusNanos(logged.nanos()))));
            }
        }
        int surplus = Math.max(0, newest.size() - SHOWN);
        for (int i = 0; i < surplus; i++) {
            newest.remove();
        }
        return surplus;
    }
}
