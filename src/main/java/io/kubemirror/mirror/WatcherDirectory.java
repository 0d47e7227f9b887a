package io.kubemirror.mirror;

import java.util.List;

/**
 * Lists the watchers of each mirror. A mirror itself does not know them, because a watch is only a
 * cursor.
 */
@FunctionalInterface
public interface WatcherDirectory {

    /** Returns the current watchers of a mirror, in no particular order. */
    List<WatcherInfo> of(Mirror mirror);
}
