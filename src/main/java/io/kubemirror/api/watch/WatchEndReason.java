package io.kubemirror.api.watch;

import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;

/** The reason why a watch ended. */
public enum WatchEndReason {
    /** The watch reached its timeout (list-watch.md#wa-27). */
    TIMEOUT,
    /**
     * The revision of the client has expired. The stream ends with a 410 (list-watch.md#fa-4,
     * #wa-9).
     */
    EXPIRED,
    /**
     * The watch would have skipped changes. The stream ends with a 410, so that the client lists
     * again.
     */
    GAP,
    /**
     * The mirror started a new history that does not connect to the old one (list-watch.md#re-1).
     */
    RESET,
    /** The client disconnected, or the process is shutting down (list-watch.md#fa-9, #in-6). */
    CLOSED,
    /** The client accepted no bytes for too long while a write was pending (list-watch.md#fa-5). */
    STALLED;

    /** Returns the reason for a failed write. */
    static WatchEndReason of(IOException broken) {
        for (Throwable cause = broken; cause != null; cause = cause.getCause()) {
            if (cause instanceof TimeoutException) {
                return STALLED;
            }
        }
        return CLOSED;
    }

    /** Returns the value of the metric tag. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
