package io.kubemirror.api.read;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Registers a snapshot that is kept in memory while a response is sent from it, regardless of later
 * changes of the mirror. Used by one thread at a time.
 */
public final class SnapshotPin implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SnapshotPin.class);

    private final Mirror mirror;
    private final AtomicInteger pinned;
    private final Runnable abort;
    private @Nullable Pin held;

    /**
     * Creates a pin that holds no state yet.
     *
     * @param pinned counts the pins that hold a state
     * @param abort ends the response; must return at once
     */
    public SnapshotPin(Mirror mirror, AtomicInteger pinned, Runnable abort) {
        this.mirror = mirror;
        this.pinned = pinned;
        this.abort = abort;
    }

    /** Holds the state of a revision from now on. */
    public SnapshotPin hold(Revision revision) {
        if (held == null) {
            pinned.incrementAndGet();
            held = mirror.pin(revision, this::abort);
        }
        return this;
    }

    private void abort() {
        log.warn(
                "{}: aborting the response to a slow client, because memory is low",
                mirror.scope());
        abort.run();
    }

    /** Holds no state any more. */
    @Override
    public void close() {
        if (held != null) {
            pinned.decrementAndGet();
            held.close();
            held = null;
        }
    }
}
