package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;

/** Reads the changes that a mirror still has, as a watch from its floor gets them. */
public final class MirrorHistory {

    private MirrorHistory() {}

    /** Returns the changes, oldest first. Ends early if changes are evicted meanwhile. */
    public static Stream<LoggedChange> of(Mirror mirror) {
        return mirror.start(mirror.floor()) instanceof StartPosition.From(Cursor start)
                ? Stream.iterate(
                                read(mirror, start),
                                part -> !part.changes().isEmpty(),
                                part -> read(mirror, part.next()))
                        .flatMap(part -> part.changes().stream())
                : Stream.of();
    }

    private static Reading.Progress read(Mirror mirror, Cursor cursor) {
        return mirror.read(cursor) instanceof Reading.Progress part
                ? part
                : new Reading.Progress(List.of(), cursor);
    }
}
