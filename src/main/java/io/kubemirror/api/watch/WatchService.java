package io.kubemirror.api.watch;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.http.DisconnectListener;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.http.StreamCursor;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.read.AnsweredWrites;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.watch.WatchSession.EndReason;
import io.kubemirror.api.watch.WatchSession.Watcher;
import io.kubemirror.mirror.Subscription;
import io.kubemirror.model.DurationRange;
import io.kubemirror.model.Revision;

import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;

import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.unit.DataSize;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Starts watches (list-watch.md#watch-start, #server-sent-events).
 *
 * @param requests tracks the watches whose requests have been completed
 * @param batch the present limits; a watch keeps those that it begins with
 */
public record WatchService(
        WatchStartResolver starts,
        StalenessPolicy staleness,
        WatchRegistry registry,
        WatchMeters meters,
        WatchExecutor executor,
        RequestTracker requests,
        Supplier<BatchProperties> batch,
        Clockwork clockwork) {

    /** The header by which a watch asks for the newest state (list-watch.md#cw-5). */
    public static final String CONFLATE = "Kubemirror-Conflate";

    /** The shortest interval of bookmarks that a client may ask for (list-watch.md#bm-11). */
    private static final long SHORTEST_BOOKMARK_SECONDS = 1;

    /**
     * Watches of clients.
     *
     * @param bookmarkInterval Interval of bookmarks. A client may ask for another one with
     *     bookmarkIntervalSeconds.
     * @param timeout Duration of watches without timeoutSeconds, chosen at random for each.
     * @param batch Limits of what a watch writes at once.
     */
    public record WatchProperties(
            @DefaultValue("60s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(seconds = 1, message = "is too short; use 1s or more")
                    Duration bookmarkInterval,
            @DefaultValue("30m..60m") DurationRange timeout,
            @DefaultValue @Valid BatchProperties batch) {

        /** Returns the API server's timing with these durations. */
        public ApiTimings timings() {
            ApiTimings standard = ApiTimings.standard();
            return new ApiTimings(
                    standard.freshness(),
                    bookmarkInterval,
                    standard.lastBookmark(),
                    standard.keepAlive(),
                    timeout);
        }
    }

    /**
     * Limits of what a watch writes at once.
     *
     * @param maxBytes Size at which a batch of events is written; the last event may exceed it.
     * @param maxEvents Number of events at which a batch is written.
     * @param maxDelay How long an event waits for others before it is written, at most 10s. Fewer
     *     writes of more events each, but every event is that much later.
     */
    public record BatchProperties(
            @DefaultValue("128KB") DataSize maxBytes,
            @DefaultValue("512") @Min(value = 1, message = "is too small; use 1 or more")
                    int maxEvents,
            @DefaultValue("0s")
                    @DurationMin(message = "is negative; use 0 or a time such as 50ms")
                    @DurationMax(
                            seconds = 10,
                            message = "is too long; use 10s or less, for example 50ms")
                    Duration maxDelay) {

        private static final BatchProperties STANDARD =
                new BatchProperties(DataSize.ofKilobytes(128), 512, Duration.ZERO);

        /** Returns the defaults. */
        public static BatchProperties standard() {
            return STANDARD;
        }
    }

    /**
     * The sources of time and randomness for watches.
     *
     * @param timing the present intervals and durations; a watch keeps those that it begins with
     * @param nanos a monotonic clock in nanoseconds
     * @param clock provides the start times of watches
     * @param random draws random durations; used by many threads
     */
    public record Clockwork(
            Supplier<ApiTimings> timing,
            LongSupplier nanos,
            InstantSource clock,
            RandomGenerator random) {}

    /**
     * Opens a watch. If the client requests a WebSocket, the watch starts by itself when the
     * request is complete and the connection has been upgraded (list-watch.md#ws-1).
     *
     * @param wanted the requested collection
     * @param frames the encoding of the events
     * @param exchange the request and its response
     * @param begun called when it is known how the watch begins, before the response
     * @return the watch, to be started; empty if the request is to be completed
     * @throws Rejection if the watch cannot be opened
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted before the watch is open
     */
    public Optional<WatchSession> serve(
            CollectionRequest wanted, FrameEncoder frames, Exchange exchange, Runnable begun)
            throws Rejection, IOException, InterruptedException {
        DisconnectListener.requireWholeRequest(exchange.request());
        WatchPhase start = starts.find(wanted, AnsweredWrites.minRevision(exchange));
        begun.run();
        registry.requireOpen();
        CoalescingTask task = task();
        ServedWatch watch = watch(new BegunWatch(wanted, start, frames), exchange, task);
        boolean opened = false;
        try {
            // First: Jetty may start the watch of a WebSocket at once, which removes it at its end.
            registry.add(watch);
            Optional<WatchSession> session =
                    exchange.isWebSocketUpgrade()
                            ? upgrade(watch, frames, exchange, task)
                            : Optional.of(connect(watch, frames, exchange, task));
            opened = true;
            return session;
        } finally {
            // Jetty may have ended the request, so anything that touches it may fail.
            if (!opened) {
                watch.end(EndReason.CLOSED);
            }
        }
    }

    private Optional<WatchSession> upgrade(
            ServedWatch watch, FrameEncoder frames, Exchange exchange, CoalescingTask task)
            throws Rejection {
        if (isServerSent(frames)) {
            throw new Rejection(
                    StatusErrors.badRequest("server-sent events are not available by WebSocket"));
        }
        WebSocketSink sink = new WebSocketSink(exchange.memory().responses());
        if (!requests.begin()) {
            throw new Rejection(RequestTracker.SHUTTING_DOWN);
        }
        try {
            sink.upgrade(exchange, new WatchSession(task, sink, watch), requests::end);
        } catch (Rejection | RuntimeException failed) {
            requests.end();
            throw failed;
        }
        // From here on Jetty starts the watch, so nothing may fail.
        exchange.note().answered(HttpServletResponse.SC_OK);
        return Optional.empty();
    }

    /**
     * Sends the headers, so that the client knows that the watch is open (list-watch.md#wa-1,
     * #tr-5).
     */
    private static WatchSession connect(
            ServedWatch watch, FrameEncoder frames, Exchange exchange, CoalescingTask task)
            throws IOException {
        WatchSession session = new WatchSession(task, sendHeaders(frames, exchange), watch);
        session.endOnDisconnect(exchange.request());
        exchange.beginWatch();
        return session;
    }

    /** Returns a watch that is counted as open. The caller must end it. */
    private ServedWatch watch(BegunWatch begun, Exchange exchange, CoalescingTask task) {
        CollectionRequest wanted = begun.wanted();
        Watcher watcher = watcher(wanted, exchange);
        WatchMeters.Meter meter = meters.of(wanted.mirror());
        meter.opened();
        return new ServedWatch(
                watcher,
                machine(
                        begun,
                        schedule(wanted, begun.frames()),
                        task,
                        greeting(begun.frames()),
                        conflation(wanted, exchange, meter, task)),
                meter,
                registry,
                task);
    }

    /** A request whose first phase is known. */
    record BegunWatch(CollectionRequest wanted, WatchPhase start, FrameEncoder frames) {}

    /**
     * Returns a watch in a stream.
     *
     * @param stream the schedule of the stream
     * @param leads whether it sends what the stream sends once, not for each resource
     * @param signal called when it has something to do
     */
    WatchStateMachine machine(
            BegunWatch begun, WatchSchedule stream, boolean leads, Subscription.Listener signal) {
        return machine(
                begun,
                stream.part(states(begun.wanted())),
                signal,
                leads ? greeting(begun.frames()) : Optional.empty(),
                Optional.empty());
    }

    private WatchStateMachine machine(
            BegunWatch begun,
            WatchSchedule schedule,
            Subscription.Listener signal,
            Optional<FrameBatch> greeting,
            Optional<Conflation> conflation) {
        return new WatchStateMachine(
                begun.wanted(),
                begun.start(),
                begun.frames(),
                greeting,
                schedule,
                batch.get(),
                meters.tracer(),
                signal,
                conflation);
    }

    /**
     * Opens a stream of several resources (list-watch.md#streams).
     *
     * @param parts the resources
     * @param again selects one of them again
     * @param reached the position of the client
     * @param cursors writes later positions
     * @param threads runs what may wait, each task on a thread of its own
     * @throws Rejection if a resource cannot be watched, or there is no memory for the stream
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted before the stream is open
     */
    public WatchSession stream(
            List<WatchMultiplexer.StreamPart> parts,
            WatchMultiplexer.PartSource again,
            List<@Nullable Revision> reached,
            StreamCursor cursors,
            Exchange exchange,
            Executor threads)
            throws Rejection, IOException, InterruptedException {
        DisconnectListener.requireWholeRequest(exchange.request());
        registry.requireOpen();
        return WatchMultiplexer.open(
                this,
                parts,
                new WatchMultiplexer.StreamSource(
                        again, cursors, AnsweredWrites.minRevision(exchange)),
                reached,
                exchange,
                threads);
    }

    /** Returns the first phase of a watch in a stream. */
    WatchPhase begin(CollectionRequest wanted, Revision min)
            throws Rejection, InterruptedException {
        return starts.find(wanted, min);
    }

    /** Returns a task that has not started. */
    CoalescingTask task() {
        return executor.task(clockwork.nanos());
    }

    /** Returns the time on the clock of the watches, in nanoseconds. */
    long now() {
        return clockwork.nanos().getAsLong();
    }

    /** Returns the sender of a request. */
    Watcher watcher(CollectionRequest wanted, Exchange exchange) {
        return Watcher.of(wanted, exchange.request(), clockwork.clock().instant());
    }

    /** Sends the headers of a watch, and returns the sink for its events. */
    static ChunkSink sendHeaders(FrameEncoder frames, Exchange exchange) throws IOException {
        exchange.response().setContentType(frames.watchFraming().contentType());
        if (isServerSent(frames)) {
            exchange.response().setHeader("X-Accel-Buffering", "no");
        }
        return ChunkSink.begin(exchange);
    }

    private static Optional<Conflation> conflation(
            CollectionRequest wanted,
            Exchange exchange,
            WatchMeters.Meter meter,
            CoalescingTask task) {
        return wanted.options().streaming().conflated()
                ? Optional.of(
                        new Conflation(
                                wanted,
                                exchange.memory().responses(),
                                meter::conflated,
                                task::signal))
                : Optional.empty();
    }

    private static boolean isServerSent(FrameEncoder frames) {
        return frames.watchFraming() == WatchFraming.SERVER_SENT_EVENTS;
    }

    /** Returns the reconnection delay (list-watch.md#se-8). */
    private Optional<FrameBatch> greeting(FrameEncoder frames) {
        return isServerSent(frames)
                ? Optional.of(
                        FrameBatch.sign(
                                FrameEncoder.retry(clockwork.random().nextInt(1_000, 3_001))))
                : Optional.empty();
    }

    /** Returns the schedule of a watch that begins now. */
    WatchSchedule schedule(CollectionRequest wanted, FrameEncoder frames) {
        ListOptions.StreamingOptions streaming = wanted.options().streaming();
        return new WatchSchedule(
                clockwork.timing().get(),
                clockwork.nanos(),
                bookmarks(streaming),
                isServerSent(frames),
                length(streaming),
                batch.get().maxDelay(),
                states(wanted));
    }

    private @Nullable StateNotices states(CollectionRequest wanted) {
        return wanted.options().streaming().states()
                ? new StateNotices(wanted.mirror(), staleness)
                : null;
    }

    /** Returns the interval of bookmarks, zero for none (list-watch.md#bm-1, #bm-4, #bm-11). */
    private Duration bookmarks(ListOptions.StreamingOptions streaming) {
        if (!streaming.bookmarks()) {
            return Duration.ZERO;
        }
        Long wanted = streaming.bookmarkSeconds();
        return wanted == null
                ? clockwork.timing().get().bookmarks()
                : Duration.ofSeconds(
                        Math.clamp(
                                wanted,
                                SHORTEST_BOOKMARK_SECONDS,
                                WatchSchedule.LONGEST.toSeconds()));
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
        return clockwork.timing().get().watches().draw(clockwork.random());
    }
}
