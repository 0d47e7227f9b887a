package io.kubemirror.api.watch;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.watch.WatchSession.EndReason;
import io.kubemirror.api.watch.WatchSession.Watcher;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Starts watches (list-watch.md#watch-start, #server-sent-events). */
public final class WatchService {

    private final WatchStartResolver starts;
    private final WatchRegistry registry;
    private final WatchMeters meters;
    private final WatchExecutor executor;
    private final Clockwork clockwork;

    /**
     * The sources of time and randomness for watches.
     *
     * @param timing the intervals and durations
     * @param nanos a monotonic clock in nanoseconds
     * @param clock provides the start times of watches
     * @param random draws random durations; used by many threads
     */
    public record Clockwork(
            ApiTimings timing, LongSupplier nanos, InstantSource clock, RandomGenerator random) {}

    public WatchService(
            WatchStartResolver starts,
            WatchRegistry registry,
            WatchMeters meters,
            WatchExecutor executor,
            Clockwork clockwork) {
        this.starts = starts;
        this.registry = registry;
        this.meters = meters;
        this.executor = executor;
        this.clockwork = clockwork;
    }

    /**
     * Opens a watch. A request to upgrade to WebSocket gets a complete, empty response, after which
     * clients request a stream (list-watch.md#ws-1).
     *
     * <p>Rejected for WebSocket: the stream itself, because clients wait for its end before they
     * notice that they got no WebSocket; and 503, because they would repeat the same request many
     * times.
     *
     * @param wanted the requested collection
     * @param frames the encoding of the events
     * @param exchange the request and its response
     * @return the watch, to be started; empty if the response is complete
     * @throws Rejection if the watch cannot be opened
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted before the watch is open
     */
    public Optional<WatchSession> serve(
            CollectionRequest wanted, FrameEncoder frames, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        DisconnectListener.requireWholeRequest(exchange.request());
        if (exchange.isWebSocketUpgrade()) {
            Reply.NO_WEB_SOCKET.send(exchange.response());
            return Optional.empty();
        }
        WatchPhase start = starts.find(wanted);
        registry.requireOpen();
        WatchMeters.Meter meter = meters.of(wanted.mirror());
        meter.opened();
        try {
            return Optional.of(open(wanted, start, frames, exchange, meter));
        } catch (IOException | RuntimeException failed) {
            meter.closed(EndReason.CLOSED, Duration.ZERO);
            throw failed;
        }
    }

    /**
     * Sends the headers, so that the client knows that the watch is open (list-watch.md#wa-1,
     * #tr-5).
     */
    private WatchSession open(
            CollectionRequest wanted,
            WatchPhase start,
            FrameEncoder frames,
            Exchange exchange,
            WatchMeters.Meter meter)
            throws IOException {
        boolean serverSent = frames.watchFraming() == WatchFraming.SERVER_SENT_EVENTS;
        exchange.response().setContentType(frames.watchFraming().contentType());
        if (serverSent) {
            exchange.response().setHeader("X-Accel-Buffering", "no");
        }
        ChunkSink sink = ChunkSink.begin(exchange);
        exchange.note().answered(exchange.response().getStatus());
        CoalescingTask task = executor.task(clockwork.nanos());
        WatchStateMachine machine =
                new WatchStateMachine(
                        wanted,
                        start,
                        frames,
                        serverSent ? Optional.of(retryDelay()) : Optional.empty(),
                        schedule(wanted.options().streaming(), serverSent),
                        task::signal);
        Watcher watcher = Watcher.of(wanted, exchange.request(), clockwork.clock().instant());
        WatchSession watch = new WatchSession(watcher, task, machine, sink, meter, registry);
        watch.endOnDisconnect(exchange.request());
        registry.add(watch);
        return watch;
    }

    private FrameBatch retryDelay() {
        return FrameBatch.sign(FrameEncoder.retry(clockwork.random().nextInt(1_000, 3_001)));
    }

    private WatchSchedule schedule(ListOptions.StreamingOptions streaming, boolean serverSent) {
        return new WatchSchedule(
                clockwork.timing(),
                clockwork.nanos(),
                streaming.bookmarks(),
                serverSent,
                length(streaming));
    }

    /**
     * Returns the duration of a watch: the one that the client requested, or a random one
     * (list-watch.md#wa-27).
     */
    private Duration length(ListOptions.StreamingOptions streaming) {
        Long seconds = streaming.timeoutSeconds();
        if (seconds != null && seconds > 0) {
            return Duration.ofSeconds(Math.min(seconds, WatchSchedule.LONGEST.toSeconds()));
        }
        long shortest = clockwork.timing().shortestWatch().toNanos();
        return Duration.ofNanos(clockwork.random().nextLong(shortest, 2 * shortest));
    }
}
