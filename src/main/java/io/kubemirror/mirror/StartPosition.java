package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

/** Whether a watch can start from a revision. */
public sealed interface StartPosition {

    /**
     * The watch can start.
     *
     * @param cursor where to read on
     */
    record From(Cursor cursor) implements StartPosition {}

    /**
     * The revision is older than the window (list-watch.md#wa-9).
     *
     * @param floor the smallest revision that a watch can start from
     */
    record TooOld(Revision floor) implements StartPosition {}
}
