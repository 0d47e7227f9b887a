package io.kubemirror.mirror;

import java.time.Instant;

/**
 * Somebody who follows a mirror, as operators see it.
 *
 * @param client its address and port
 * @param agent what it calls itself, in few words; empty if it does not
 * @param selection what it asked for, empty for everything
 * @param since when it began
 * @param cursor how far it has come; while it is idle, there is nothing for it after the cursor
 * @param writing whether something is on its way to it, for which the client has to make room
 * @param events how many events it was sent, bookmarks included
 * @param bytes how many bytes it was sent
 */
public record Follower(
        String client,
        String agent,
        String selection,
        Instant since,
        Cursor cursor,
        boolean writing,
        long events,
        long bytes) {}
