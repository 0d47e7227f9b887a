package io.kubemirror.api.watch;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Counts the events and bytes that one watch sends, for diagnostics and for the metrics of its
 * mirror. Written by one thread at a time and read by any thread. The writes are ordered but do not
 * wait for readers, which keeps them cheap.
 */
final class CountingSink implements FrameSink {

    private final FrameSink sink;
    private final WatchMeters.Meter meter;
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * Creates a sink with counts of zero.
     *
     * @param sink the sink that sends the frames
     * @param meter the metrics of the mirror
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

    /** Returns the number of events that were sent. */
    long events() {
        return events.getAcquire();
    }

    /** Returns the number of bytes that were sent. */
    long bytes() {
        return bytes.getAcquire();
    }
}
