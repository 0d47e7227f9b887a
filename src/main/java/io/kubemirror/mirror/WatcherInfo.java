package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

import java.time.Instant;

/**
 * A watcher of a mirror, as shown to operators.
 *
 * @param client its address and port
 * @param agent its user agent in short form, empty if it sent none
 * @param selection what it asked for, empty for everything
 * @param since when it began
 * @param revision the revision that it has reached; later changes that do not match its selection
 *     are not sent
 * @param backlog the changes that it has not been sent yet
 * @param events the number of events it was sent, bookmarks included
 * @param bytes the number of bytes it was sent
 */
public record WatcherInfo(
        String client,
        String agent,
        String selection,
        Instant since,
        Revision revision,
        Backlog backlog,
        long events,
        long bytes) {}
