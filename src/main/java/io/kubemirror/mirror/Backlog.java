package io.kubemirror.mirror;

import java.time.Duration;

/**
 * The changes that a reader has not read yet.
 *
 * @param changes the number of changes after its cursor, whether or not they match its selection;
 *     at most the size of the window
 * @param age the age of the oldest of them, zero if there is none
 */
public record Backlog(long changes, Duration age) {

    /** The reader has read everything. */
    public static final Backlog NONE = new Backlog(0, Duration.ZERO);
}
