package io.kubemirror.api.watch;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Counts what one watch sends, for operators and among all watches of its mirror. Written by one
 * thread at a time and read by any; the writes are ordered but wait for nobody, so that they cost
 * next to nothing.
 */
final class CountingSink implements FrameSink {

    private final FrameSink sink;
    private final WatchMeters.Meter meter;
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * Nothing has been sent.
     *
     * @param sink where everything goes
     * @param meter counts it too
     */
    CountingSink(FrameSink sink, WatchMeters.Meter meter) {
        this.sink = sink;
        this.meter = meter;
    }

    @Override
    public boolean send(FrameBatch batch, Consumer<@Nullable IOException> later)
            throws IOException {
        boolean sent = sink.send(batch, failure -> sent(batch, failure, later));
        if (sent) {
            count(batch);
        }
        return sent;
    }

    private void sent(
            FrameBatch batch,
            @Nullable IOException failure,
            Consumer<@Nullable IOException> later) {
        if (failure == null) {
            count(batch);
        }
        later.accept(failure);
    }

    private void count(FrameBatch batch) {
        events.setRelease(events.getPlain() + batch.events());
        bytes.setRelease(bytes.getPlain() + batch.bytes());
        meter.delivered(batch.events(), batch.bytes());
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
