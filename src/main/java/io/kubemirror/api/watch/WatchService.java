package io.kubemirror.api.watch;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.WatchFraming;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Starts watches (list-watch.md#watch-start, #server-sent-events). */
public final class WatchService {

    private final WatchStartResolver starts;
    private final WatchRegistry open;
    private final WatchMeters meters;
    private final ActiveWatchers activeWatchers;
    private final Clockwork clockwork;
    private final WatchExecutor executor;
    private final RequestTracker requests;

    /**
     * The sources of time and randomness for watches.
     *
     * @param timing the intervals and durations
     * @param nanos a monotonic clock in nanoseconds
     * @param deadlines runs timers on that clock
     * @param random draws random durations; used by many threads
     */
    public record Clockwork(
            ApiTimings timing,
            LongSupplier nanos,
            ScheduledExecutorService deadlines,
            RandomGenerator random) {}

    /**
     * Creates a service without watches.
     *
     * @param requests tracks the watches whose requests have been completed
     */
    public WatchService(
            WatchStartResolver starts,
            WatchRegistry open,
            WatchMeters meters,
            ActiveWatchers activeWatchers,
            Clockwork clockwork,
            WatchExecutor executor,
            RequestTracker requests) {
        this.starts = starts;
        this.open = open;
        this.meters = meters;
        this.activeWatchers = activeWatchers;
        this.clockwork = clockwork;
        this.executor = executor;
        this.requests = requests;
    }

    /**
     * Opens a watch. If the client requests a WebSocket, the watch starts by itself when the
     * request is complete and the connection has been upgraded (list-watch.md#ws-1).
     *
     * @param wanted the requested collection
     * @param frames the encoding of the events
     * @param exchange the request and its response
     * @return the watch, to be started; empty if the request is to be completed
     * @throws Rejection if the watch cannot be opened
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted before the watch is open
     */
    public Optional<WatchSession> serve(
            CollectionRequest wanted, FrameEncoder frames, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        DisconnectListener.requireWholeRequest(exchange.request());
        WatchStart start = starts.find(wanted);
        Placement place =
                new Placement(wanted, open.add(RequestCredentials.of(exchange.request())));
        try {
            if (!exchange.isWebSocketUpgrade()) {
                FrameSink sink = begin(frames.watchFraming(), exchange);
                WatchSession session = open(wanted, start, frames, exchange, place, sink);
                place.listenTo(exchange.request());
                return Optional.of(session);
            }
            WebSocketSink sink = new WebSocketSink(place.stopSignal, exchange.memory().responses());
            WatchSession session = open(wanted, start, frames, exchange, place, sink);
            sink.upgrade(exchange, () -> session.start(() -> sink.close(requests::ended)));
            requests.begun();
            return Optional.empty();
        } catch (Rejection | IOException | RuntimeException failed) {
            place.leave(WatchEndReason.CLOSED);
            throw failed;
        }
    }

    private WatchSession open(
            CollectionRequest wanted,
            WatchStart start,
            FrameEncoder frames,
            Exchange exchange,
            Placement place,
            FrameSink connection) {
        CountingSink tally = new CountingSink(connection, place.meter);
        exchange.note().answered(exchange.response().getStatus());
        boolean mute = !frames.areWritable() && !(start instanceof WatchStart.Failed);
        FrameSink sink = mute ? expiredInsteadOfEvents(place.stopSignal) : tally;
        CoalescingTask task = new CoalescingTask(executor::execute);
        WatchStateMachine machine =
                new WatchStateMachine(
                        wanted.mirror(),
                        new WatchStateMachine.WatchParameters(
                                start, wanted.selection(), frames, greeting(frames.watchFraming())),
                        schedule(wanted, frames.watchFraming()),
                        place.stopSignal,
                        task::signal);
        place.take(
                activeWatchers.add(
                        activeWatchers.describe(wanted, exchange.request()), tally, machine));
        Deadline deadline = new Deadline(clockwork.deadlines(), clockwork.nanos(), task::signal);
        return new WatchSession(
                task,
                machine,
                new WatchSession.WatchClientSettings(sink, deadline, place.meter.pin()),
                place::leave);
    }

    /** The resources and registrations of an open watch. */
    private final class Placement {

        private final StopSignal stopSignal;
        private final WatchMeters.Meter meter;
        private final long began = clockwork.nanos().getAsLong();
        private Optional<ActiveWatchers.ActiveWatch> watch = Optional.empty();
        private Optional<DisconnectListener> disconnectListener = Optional.empty();

        private Placement(CollectionRequest wanted, StopSignal stopSignal) {
            this.stopSignal = stopSignal;
            this.meter = meters.of(wanted.mirror());
            meter.opened();
        }

        private void take(ActiveWatchers.ActiveWatch taken) {
            watch = Optional.of(taken);
        }

        private void listenTo(HttpServletRequest request) {
            disconnectListener = DisconnectListener.register(request, stopSignal);
        }

        private void leave(WatchEndReason why) {
            disconnectListener.ifPresent(DisconnectListener::stop);
            watch.ifPresent(activeWatchers::remove);
            meter.closed(why, Duration.ofNanos(clockwork.nanos().getAsLong() - began));
            open.remove(stopSignal);
        }
    }

    /**
     * Sends the headers, so that the client knows that the watch is open (list-watch.md#wa-1,
     * #tr-5).
     */
    private FrameSink begin(WatchFraming framing, Exchange exchange) throws IOException {
        HttpServletResponse response = exchange.response();
        response.setContentType(framing.contentType());
        if (framing == WatchFraming.SERVER_SENT_EVENTS) {
            response.setHeader("X-Accel-Buffering", "no");
        }
        return ChunkSink.begin(exchange, executor::chunk);
    }

    private Optional<FrameBatch> greeting(WatchFraming framing) {
        return switch (framing) {
            case JSON_LINES -> Optional.empty();
            case SERVER_SENT_EVENTS ->
                    Optional.of(
                            FrameBatch.sign(
                                    FrameEncoder.retry(clockwork.random().nextInt(1_000, 3_001))));
        };
    }

    /**
     * Returns a sink for a watch that ends because an event cannot be encoded
     * (list-watch.md#ne-33).
     */
    private static FrameSink expiredInsteadOfEvents(StopSignal stopSignal) {
        return (batch, _) -> {
            if (batch.events() > 0) {
                stopSignal.request();
            }
            return true;
        };
    }

    private WatchSchedule schedule(CollectionRequest wanted, WatchFraming framing) {
        ListOptions.StreamingOptions streaming = wanted.options().streaming();
        WatchSchedule.Needs needs =
                new WatchSchedule.Needs(
                        streaming.bookmarks(),
                        framing == WatchFraming.SERVER_SENT_EVENTS,
                        length(streaming));
        return new WatchSchedule(clockwork.timing(), clockwork.nanos(), needs);
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
