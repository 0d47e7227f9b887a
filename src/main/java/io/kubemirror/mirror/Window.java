package io.kubemirror.mirror;

import java.time.Duration;

/**
 * How much history a mirror keeps (list-watch.md#hi-1 to #hi-7).
 *
 * @param minimum the number of changes that is always kept, unless the byte budget is exceeded; at
 *     least 1
 * @param maximum the maximum number of changes
 * @param span the age up to which changes are kept, within the maximum
 * @param bytes the budget for what only the history keeps reachable: previous states, frames, and
 *     tree nodes
 */
public record Window(int minimum, int maximum, Duration span, long bytes) {

    /** Validates the bounds. */
    public Window {
        if (minimum < 1 || maximum < minimum || span.isNegative() || bytes < 1) {
            throw new IllegalArgumentException(
                    "a window needs 1 <= minimum <= maximum, a span and a positive number of"
                            + " bytes");
        }
    }

    /** Returns the API server's own window (75 s, 100 to 102,400 changes) within 64 MiB. */
    public static Window standard() {
        return new Window(100, 102_400, Duration.ofSeconds(75), 64L << 20);
    }
}
