package io.kubemirror.mirror;

import java.time.Duration;

/**
 * How much of the recent past a mirror keeps (list-watch.md#hi-1 to #hi-7).
 *
 * @param minimum the number of changes that is always kept, but for the byte budget; at least 1
 * @param maximum the number of changes that is never exceeded
 * @param span the age up to which changes are kept, if the maximum allows it
 * @param bytes the budget for what only the past keeps alive: previous states, frames and tree
 *     nodes
 */
public record Window(int minimum, int maximum, Duration span, long bytes) {

    /** Checks the bounds. */
    public Window {
        if (minimum < 1 || maximum < minimum || span.isNegative() || bytes < 1) {
            throw new IllegalArgumentException(
                    "a window needs 1 <= minimum <= maximum, a span and a positive number of"
                            + " bytes");
        }
    }

    /** The API server's own window (75 s, 100 to 102,400 changes) within 64 MiB. */
    public static Window standard() {
        return new Window(100, 102_400, Duration.ofSeconds(75), 64L << 20);
    }
}
