package io.kubemirror.web;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what one watch sends, for operators. Written by the watch's own thread and read by any;
 * the writes are ordered but wait for nobody, so that they cost next to nothing.
 */
final class Tally implements Sink {

    private final Sink sink;
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * Nothing has been sent.
     *
     * @param sink where everything goes
     */
    Tally(Sink sink) {
        this.sink = sink;
    }

    @Override
    public void send(byte[] frames, int events) throws IOException {
        sink.send(frames, events);
        this.events.setRelease(this.events.getPlain() + events);
        bytes.setRelease(bytes.getPlain() + frames.length);
    }

    /** How many events were sent. */
    long events() {
        return events.getAcquire();
    }

    /** How many bytes were sent. */
    long bytes() {
        return bytes.getAcquire();
    }
}
