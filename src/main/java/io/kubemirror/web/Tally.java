package io.kubemirror.web;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Counts what one watch sends, for operators and among all watches of its mirror. Written by one
 * thread at a time and read by any; the writes are ordered but wait for nobody, so that they cost
 * next to nothing.
 */
final class Tally implements Sink {

    private final Sink sink;
    private final WatchMeters.Meter meter;
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * Nothing has been sent.
     *
     * @param sink where everything goes
     * @param meter counts it too
     */
    Tally(Sink sink, WatchMeters.Meter meter) {
        this.sink = sink;
        this.meter = meter;
    }

    @Override
    public boolean send(Portion portion, Consumer<@Nullable IOException> later) throws IOException {
        boolean sent = sink.send(portion, failure -> sent(portion, failure, later));
        if (sent) {
            count(portion);
        }
        return sent;
    }

    private void sent(
            Portion portion, @Nullable IOException failure, Consumer<@Nullable IOException> later) {
        if (failure == null) {
            count(portion);
        }
        later.accept(failure);
    }

    private void count(Portion portion) {
        events.setRelease(events.getPlain() + portion.events());
        bytes.setRelease(bytes.getPlain() + portion.bytes());
        meter.delivered(portion.events(), portion.bytes());
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
