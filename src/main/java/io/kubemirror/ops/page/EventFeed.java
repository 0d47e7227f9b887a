package io.kubemirror.ops.page;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Reading;
import io.kubemirror.model.Change;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Reads the changes of all mirrors since the last call, for the status page: names and revisions,
 * never contents. Without calls it costs nothing. If calls are rare, it returns the newest changes
 * and the number of the others. Created by one thread and used by one other, which starts later.
 *
 * <p>Rejected: a watch of kubemirror's own API for each viewer, whose events are whole objects.
 */
final class EventFeed {

    /** Maximum number of changes per batch. */
    private static final int SHOWN = 100;

    /** Maximum number of changes of a mirror to read per batch; the rest is only counted. */
    private static final int EXAMINED = 5_000;

    private final Supplier<List<Mirror>> mirrors;
    private final Selection selection;
    private final String name;
    private final InstantSource clock;
    private final Map<Mirror, Cursor> cursors = new HashMap<>();

    /**
     * Creates a feed that starts at the present.
     *
     * @param mirrors returns the mirrors to read, which may change
     * @param selection selects the changes
     * @param name a part of the names of the objects, empty for any name
     */
    EventFeed(
            Supplier<List<Mirror>> mirrors, Selection selection, String name, InstantSource clock) {
        this.mirrors = mirrors;
        this.selection = selection;
        this.name = name;
        this.clock = clock;
        mirrors.get().forEach(this::beginAtPresent);
    }

    /**
     * A change.
     *
     * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, or {@code RELISTED} if a mirror
     *     started a new history
     * @param mirror the name of the mirror
     * @param key the object's namespace and name
     * @param revision the revision of the change
     * @param at when it was read
     */
    record FeedEvent(String type, String mirror, String key, String revision, Instant at) {}

    /**
     * The changes since the previous batch.
     *
     * @param changes the changes, oldest first in each mirror
     * @param more the number of changes that are not included
     */
    record Batch(List<FeedEvent> changes, long more) {

        boolean isEmpty() {
            return changes.isEmpty() && more == 0;
        }
    }

    /** Reads the changes since the previous call. */
    Batch look() {
        List<FeedEvent> found = new ArrayList<>();
        long more = 0;
        List<Mirror> present = mirrors.get();
        cursors.keySet().retainAll(present);
        for (Mirror mirror : present) {
            more += look(mirror, found);
        }
        int shown = Math.min(SHOWN, found.size());
        // Only the newest are included.
        List<FeedEvent> newest = List.copyOf(found.subList(found.size() - shown, found.size()));
        return new Batch(newest, more + found.size() - shown);
    }

    /** Adds the changes of a mirror, and returns the number of changes that it has not read. */
    private long look(Mirror mirror, List<FeedEvent> found) {
        if (!cursors.containsKey(mirror)) {
            beginAtPresent(mirror);
        }
        Cursor cursor = cursors.get(mirror);
        int examined = 0;
        while (cursor != null && examined < EXAMINED) {
            switch (mirror.read(cursor)) {
                case Reading.Progress progress -> {
                    cursors.put(mirror, progress.next());
                    progress.changes().forEach(change -> add(mirror, change, found));
                    examined += progress.changes().size();
                    cursor = progress.changes().isEmpty() ? null : progress.next();
                }
                case Reading.Expired _, Reading.Gap _, Reading.Ended _ -> {
                    beginAtPresent(mirror);
                    found.add(event("RELISTED", mirror, "", mirror.revision()));
                    cursor = null;
                }
            }
        }
        return cursor == null ? 0 : skip(mirror, cursor);
    }

    private long skip(Mirror mirror, Cursor reached) {
        long skipped = mirror.backlog(reached, 0).changes();
        beginAtPresent(mirror);
        return skipped;
    }

    /** A mirror that is not synchronized yet starts with the next call. */
    private void beginAtPresent(Mirror mirror) {
        cursors.remove(mirror);
        mirror.position().ifPresent(position -> cursors.put(mirror, position.cursor()));
    }

    private void add(Mirror mirror, LoggedChange logged, List<FeedEvent> found) {
        Optional.of(logged.change())
                .filter(change -> change.key().name().contains(name))
                .flatMap(selection::view)
                .map(change -> event(type(change), mirror, change.key().path(), change.revision()))
                .ifPresent(found::add);
    }

    private FeedEvent event(String type, Mirror mirror, String key, Revision revision) {
        return new FeedEvent(
                type, mirror.scope().toString(), key, revision.digits(), clock.instant());
    }

    private static String type(Change change) {
        return switch (change) {
            case Change.Added _ -> "ADDED";
            case Change.Modified _ -> "MODIFIED";
            case Change.Deleted _ -> "DELETED";
        };
    }
}
