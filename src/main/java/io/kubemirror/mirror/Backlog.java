package io.kubemirror.mirror;

import java.time.Duration;

/**
 * What a reader has not come to yet.
 *
 * @param changes how many changes there are after its cursor, whether they concern it or not; at
 *     most what the window holds
 * @param age how long the oldest of them has been there, zero if there is none
 */
public record Backlog(long changes, Duration age) {

    /** The reader has read everything. */
    public static final Backlog NONE = new Backlog(0, Duration.ZERO);
}
