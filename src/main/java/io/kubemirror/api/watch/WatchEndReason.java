package io.kubemirror.api.watch;

import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;

/** Why a watch ended. */
public enum WatchEndReason {
    /** Its time was over (list-watch.md#wa-27). */
    TIMEOUT,
    /**
     * The client was told that its revision is gone, by a 410 in the stream (list-watch.md#fa-4,
     * #wa-9).
     */
    EXPIRED,
    /** Changes would have been skipped, so the client was told 410 and lists again. */
    GAP,
    /** The history began anew without a bridge (list-watch.md#re-1). */
    RESET,
    /** The client hung up, or the process is about to end (list-watch.md#fa-9, #in-6). */
    CLOSED,
    /** The client took no byte of what was written to it for too long (list-watch.md#fa-5). */
    STALLED;

    /** Why a watch ended in the middle of a write. */
    static WatchEndReason of(IOException broken) {
        for (Throwable cause = broken; cause != null; cause = cause.getCause()) {
            if (cause instanceof TimeoutException) {
                return STALLED;
            }
        }
        return CLOSED;
    }

    /** The name among the metrics. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
