package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

import java.time.Instant;

/**
 * Somebody who follows a mirror, as operators see it.
 *
 * @param client its address and port
 * @param agent what it calls itself, in few words; empty if it does not
 * @param selection what it asked for, empty for everything
 * @param since when it began
 * @param revision how far it has come; what came since and does not concern it, it is not told
 * @param backlog what there is for it that it has not been sent
 * @param events how many events it was sent, bookmarks included
 * @param bytes how many bytes it was sent
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
