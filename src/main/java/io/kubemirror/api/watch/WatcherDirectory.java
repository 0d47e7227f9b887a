package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.model.Revision;

/**
 * Lists the watchers of each mirror. A mirror itself does not know them, because a watch is only a
 * cursor.
 */
@FunctionalInterface
public interface WatcherDirectory {

    /** Returns the current watchers of a mirror, in no particular order. */
    List<WatcherInfo> of(Mirror mirror);

    /** Returns whether a mirror has watchers. */
    default boolean isWatched(Mirror mirror) {
        return !of(mirror).isEmpty();
    }

    /**
     * A watcher of a mirror, as shown to operators.
     *
     * @param client its address and port
     * @param agent its user agent in short form, empty if it sent none
     * @param user its name, empty if it is not known
     * @param selection what it asked for, empty for everything
     * @param since when it began
     * @param revision the revision that it has reached; later changes that do not match its
     *     selection are not sent
     * @param backlog the changes that it has not been sent yet
     * @param events the number of events it was sent, bookmarks included
     * @param bytes the number of bytes it was sent
     */
    record WatcherInfo(
            String client,
            String agent,
            String user,
            String selection,
            Instant since,
            Revision revision,
            Backlog backlog,
            long events,
            long bytes) {}
}
