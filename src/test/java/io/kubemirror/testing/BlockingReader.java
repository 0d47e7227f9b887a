package io.kubemirror.testing;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Subscription;
import io.kubemirror.model.Selection;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Reads mirrors on a thread that waits until there is something to read. */
public final class BlockingReader {

    private BlockingReader() {}

    /**
     * Returns what comes after a cursor, possibly nothing after the timeout.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public static Reading read(Mirror mirror, Cursor cursor, Duration patience)
            throws InterruptedException {
        return read(mirror, cursor, Selection.everything(), patience);
    }

    /**
     * Returns what comes after a cursor. Changes that do not match the selection may be left out.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public static Reading read(Mirror mirror, Cursor cursor, Selection selection, Duration patience)
            throws InterruptedException {
        Semaphore bell = new Semaphore(0);
        try (Subscription subscription = mirror.subscribe(selection, bell::release)) {
            if (subscription.arm(cursor)) {
                var _ = bell.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS);
            }
            return mirror.read(subscription.disarm(cursor));
        }
    }
}
