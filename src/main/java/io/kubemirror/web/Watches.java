package io.kubemirror.web;

import io.kubemirror.mirror.Mirror;

import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Serves watches, each on the thread of its request (spec 5, 10). */
final class Watches {

    private final WatchStarts starts;
    private final OpenWatches open;
    private final WatchMeters meters;
    private final Audience audience;
    private final Clockwork clockwork;

    /**
     * What watches know of time and chance.
     *
     * @param timing how long things take
     * @param nanos a monotonic clock in nanoseconds
     * @param random draws what is spread at random; used by many threads
     */
    record Clockwork(Timing timing, LongSupplier nanos, RandomGenerator random) {}

    Watches(
            WatchStarts starts,
            OpenWatches open,
            WatchMeters meters,
            Audience audience,
            Clockwork clockwork) {
        this.starts = starts;
        this.open = open;
        this.meters = meters;
        this.audience = audience;
        this.clockwork = clockwork;
    }

    /**
     * Serves a watch until its end. If it is asked for by WebSocket, the answer ends at once and
     * with nothing in it, whereupon clients ask for a stream (WS-1).
     *
     * <p>Rejected for WebSocket: the stream itself, since clients wait for its end before they see
     * that they got no WebSocket; 503, since they would ask for the same again, many times.
     *
     * @param wanted what to watch
     * @param frames the form of its events
     * @param exchange the request and where the events go
     * @throws Rejection if it cannot be begun
     * @throws IOException if the client is gone
     * @throws InterruptedException if the thread is interrupted before the watch has begun
     */
    void serve(CollectionRequest wanted, Frames frames, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        Hangup.requireWholeRequest(exchange.request());
        if (exchange.asksForWebSocket()) {
            Reply.NO_WEB_SOCKET.send(exchange.response());
            return;
        }
        WatchStart start = starts.find(wanted);
        Ending ending = open.add(Pass.of(exchange.request()));
        WatchMeters.Meter meter = meters.of(wanted.mirror());
        meter.opened();
        long began = clockwork.nanos().getAsLong();
        WatchEnd end = WatchEnd.CLOSED;
        try {
            Tally sink = new Tally(begin(frames.wire(), exchange, meter));
            boolean mute = !frames.areWritable() && !(start instanceof WatchStart.Failed);
            WatchLoop loop =
                    loop(
                            wanted,
                            frames,
                            start,
                            ending,
                            mute ? endingInsteadOfEvents(ending) : sink);
            exchange.note().answered(exchange.response().getStatus());
            Audience.Party party = audience.party(wanted, exchange.request());
            Audience.Seat seat = audience.enter(party, sink, loop);
            try {
                run(loop, Hangup.listen(exchange.request(), ending), meter);
            } finally {
                audience.leave(seat);
            }
            end = loop.end();
        } catch (IOException broken) {
            end = WatchEnd.of(broken);
            throw broken;
        } finally {
            meter.closed(end, Duration.ofNanos(clockwork.nanos().getAsLong() - began));
            open.remove(ending);
        }
    }

    /** Sends the headers, so that the client knows that the watch stands (WA-1, TR-5). */
    private Sink begin(Wire wire, Exchange exchange, WatchMeters.Meter meter) throws IOException {
        HttpServletResponse response = exchange.response();
        response.setContentType(wire.contentType());
        return switch (wire) {
            case JSON_LINES -> ChunkSink.begin(exchange, meter);
            case SERVER_SENT_EVENTS -> {
                response.setHeader("X-Accel-Buffering", "no");
                Sink sink = ChunkSink.begin(exchange, meter);
                sink.send(Frames.retry(clockwork.random().nextInt(1_000, 3_001)), 0);
                yield sink;
            }
        };
    }

    /** An event that cannot be written ends the watch (NE-33). */
    private static Sink endingInsteadOfEvents(Ending ending) {
        return (_, events) -> {
            if (events > 0) {
                ending.request();
            }
        };
    }

    private static void run(WatchLoop loop, Optional<Hangup> hangup, WatchMeters.Meter meter)
            throws IOException {
        try (Pin pin = meter.pin()) {
            boolean more;
            do {
                pin.hold(loop.isInitial());
                more = loop.step();
            } while (more);
        } finally {
            hangup.ifPresent(Hangup::stop);
        }
    }

    private WatchLoop loop(
            CollectionRequest wanted, Frames frames, WatchStart start, Ending ending, Sink sink) {
        Mirror mirror = wanted.mirror();
        Schedule schedule =
                new Schedule(
                        clockwork.timing(),
                        clockwork.nanos(),
                        new Schedule.Needs(
                                wanted.options().streaming().bookmarks(),
                                frames.wire() == Wire.SERVER_SENT_EVENTS,
                                length(wanted.options().streaming())));
        return new WatchLoop(
                mirror,
                new WatchLoop.Terms(start, wanted.selection(), frames),
                schedule,
                ending,
                sink);
    }

    /** How long a watch lasts: as long as the client says, or at random (WA-27). */
    private Duration length(ListOptions.Streaming streaming) {
        Long seconds = streaming.timeoutSeconds();
        if (seconds != null && seconds > 0) {
            return Duration.ofSeconds(Math.min(seconds, Schedule.LONGEST.toSeconds()));
        }
        long shortest = clockwork.timing().shortestWatch().toNanos();
        return Duration.ofNanos(clockwork.random().nextLong(shortest, 2 * shortest));
    }
}
