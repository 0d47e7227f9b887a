package io.kubemirror.ops.page;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Reading;
import io.kubemirror.model.Change;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SelectorException;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What happens to the mirrors, for somebody who looks on: names and revisions, never contents. It
 * looks whenever it is asked, from where it looked last, so that one who does not ask costs nothing
 * and one who asks seldom is told how much there was. Used by one thread.
 *
 * <p>Rejected: a watch of kubemirror's own API for each viewer, whose events are whole objects.
 */
final class EventFeed {

    /** Nobody reads more in a glance. */
    private static final int SHOWN = 100;

    /** So many changes of a mirror are looked at in one go; what is more is counted. */
    private static final int EXAMINED = 5_000;

    private final List<Mirror> mirrors;
    private final Filter filter;
    private final InstantSource clock;
    private final Map<Mirror, Cursor> cursors = new HashMap<>();

    /**
     * A feed that begins now.
     *
     * @param mirrors whose changes to tell
     * @param filter which of them
     */
    EventFeed(List<Mirror> mirrors, Filter filter, InstantSource clock) {
        this.mirrors = mirrors;
        this.filter = filter;
        this.clock = clock;
        mirrors.forEach(this::beginAtPresent);
    }

    /**
     * A change.
     *
     * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, or {@code RELISTED} where a
     *     mirror began anew and what led there is not known
     * @param mirror the name of the mirror
     * @param key the object's namespace and name
     * @param revision the revision of the change
     * @param at when it was noticed
     */
    record FeedEvent(String type, String mirror, String key, String revision, Instant at) {}

    /**
     * What has happened since the last look.
     *
     * @param changes the changes, oldest first in each mirror
     * @param more how many others are not told
     */
    record Batch(List<FeedEvent> changes, long more) {

        boolean isEmpty() {
            return changes.isEmpty() && more == 0;
        }
    }

    /** What has happened since the last look. */
    Batch look() {
        List<FeedEvent> found = new ArrayList<>();
        long more = 0;
        for (Mirror mirror : mirrors) {
            more += look(mirror, found);
        }
        int told = Math.min(SHOWN, found.size());
        // Of too many the newest are told.
        List<FeedEvent> newest = List.copyOf(found.subList(found.size() - told, found.size()));
        return new Batch(newest, more + found.size() - told);
    }

    /** Adds the changes of a mirror, and returns how many it has not looked at. */
    private long look(Mirror mirror, List<FeedEvent> found) {
        if (!cursors.containsKey(mirror)) {
            beginAtPresent(mirror);
        }
        Optional<Cursor> cursor = Optional.ofNullable(cursors.get(mirror));
        int examined = 0;
        while (cursor.isPresent() && examined < EXAMINED) {
            switch (mirror.read(cursor.get())) {
                case Reading.Progress progress -> {
                    cursors.put(mirror, progress.next());
                    progress.changes().forEach(change -> add(mirror, change, found));
                    examined += progress.changes().size();
                    cursor =
                            progress.changes().isEmpty()
                                    ? Optional.empty()
                                    : Optional.of(progress.next());
                }
                case Reading.Expired _, Reading.Gap _, Reading.Ended _ -> {
                    beginAtPresent(mirror);
                    found.add(event("RELISTED", mirror, "", mirror.revision()));
                    cursor = Optional.empty();
                }
            }
        }
        return cursor.map(reached -> skip(mirror, reached)).orElse(0L);
    }

    private long skip(Mirror mirror, Cursor reached) {
        long skipped = mirror.backlog(reached, 0).changes();
        beginAtPresent(mirror);
        return skipped;
    }

    /** If there is none, as before the first synchronisation, it begins with the next look. */
    private void beginAtPresent(Mirror mirror) {
        cursors.remove(mirror);
        mirror.position().ifPresent(position -> cursors.put(mirror, position.cursor()));
    }

    private void add(Mirror mirror, LoggedChange logged, List<FeedEvent> found) {
        filter.view(logged.change())
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

    /**
     * Which changes somebody wants to see.
     *
     * @param selection the namespace and the labels
     * @param name what has to be part of the name, empty for anything
     */
    record Filter(Selection selection, String name) {

        /**
         * Reads what somebody has typed.
         *
         * @throws SelectorException if the label selector cannot be read
         */
        static Filter of(String namespace, String labels, String name) throws SelectorException {
            Selection selection =
                    new Selection(
                            namespace, LabelSelector.parse(labels), FieldSelector.everything());
            return new Filter(selection, name);
        }

        /** What a change is to somebody who sees only this; empty if it is nothing. */
        Optional<Change> view(Change change) {
            return change.key().name().contains(name) ? selection.view(change) : Optional.empty();
        }
    }
}
