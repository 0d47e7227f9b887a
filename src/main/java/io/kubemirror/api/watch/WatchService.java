package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.http.DisconnectListener;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.read.Floors;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.RevisionWait;
import io.kubemirror.api.watch.WatchConnection.EndReason;
import io.kubemirror.api.watch.WatchConnection.FrameSink;
import io.kubemirror.api.watch.WatchSchedule.WatchScheduler;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Starts watches (list-watch.md#watch-start, #server-sent-events). Thread-safe. */
public final class WatchService {

    private final MirrorDirectory directory;
    private final RevisionWait revisionWait;
    private final Floors floors;
    private final WatchScheduler scheduler;
    private final WatchRegistry registry;
    private final WatchMeters meters;
    private final WatchExecutor executor;
    private final RequestTracker requests;

    /**
     * Creates a service without watches.
     *
     * @param requests tracks the watches whose requests have been completed
     */
    public WatchService(
            MirrorDirectory directory,
            RevisionWait revisionWait,
            Floors floors,
            WatchScheduler scheduler,
            WatchRegistry registry,
            WatchMeters meters,
            WatchExecutor executor,
            RequestTracker requests) {
        this.directory = directory;
        this.revisionWait = revisionWait;
        this.floors = floors;
        this.scheduler = scheduler;
        this.registry = registry;
        this.meters = meters;
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
     * @param begun called when it is known how the watch begins, before the response, with the
     *     revision of the state that it begins with, if it begins with one
     * @return the connection, to be started; empty if the request is to be completed
     * @throws Rejection if the watch cannot be opened
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted before the watch is open
     */
    public Optional<WatchConnection> serve(
            CollectionRequest wanted,
            FrameEncoder frames,
            Exchange exchange,
            Consumer<Optional<Revision>> begun)
            throws Rejection, IOException, InterruptedException {
        DisconnectListener.requireWholeRequest(exchange.request());
        WatchStart start = begin(wanted, frames, exchange.minRevision());
        begun.accept(start.phase().initialRevision());
        registry.requireOpen();
        Watch watch = watch(start, exchange, RequestCredentials.of(exchange.request()));
        boolean opened = false;
        try {
            // First: Jetty may start the watch of a WebSocket at once, which removes it at its end.
            registry.add(watch);
            Optional<WatchConnection> connection =
                    exchange.isWebSocketUpgrade()
                            ? upgrade(watch, frames, exchange)
                            : Optional.of(connect(watch, frames.watchFraming(), exchange));
            opened = true;
            return connection;
        } finally {
            // Jetty may have ended the request, so anything that touches it may fail.
            if (!opened) {
                watch.end(EndReason.CLOSED);
            }
        }
    }

    private Optional<WatchConnection> upgrade(Watch watch, FrameEncoder frames, Exchange exchange)
            throws Rejection {
        if (frames.watchFraming() == WatchFraming.SERVER_SENT_EVENTS) {
            throw new Rejection(
                    StatusErrors.badRequest("server-sent events are not available by WebSocket"));
        }
        WebSocketSink sink = new WebSocketSink(exchange.memory().responses());
        if (!requests.begin()) {
            throw new Rejection(RequestTracker.shuttingDown());
        }
        try {
            sink.upgrade(
                    exchange,
                    new WatchConnection(watch.client().task(), sink, watch),
                    requests::end);
        } catch (Rejection | RuntimeException failed) {
            requests.end();
            throw failed;
        }
        // From here on Jetty starts the watch, so nothing may fail.
        exchange.note().answered(HttpServletResponse.SC_OK);
        return Optional.empty();
    }

    private static WatchConnection connect(Watch watch, WatchFraming framing, Exchange exchange)
            throws IOException {
        WatchConnection connection =
                new WatchConnection(watch.client().task(), respond(framing, exchange), watch);
        connection.endOnDisconnect(exchange.request());
        exchange.beginWatch();
        return connection;
    }

    /**
     * Sends the headers, so that the client knows that the watches are open (list-watch.md#wa-1,
     * #tr-4).
     */
    private static ChunkSink respond(WatchFraming framing, Exchange exchange) throws IOException {
        exchange.response().setContentType(framing.contentType());
        if (framing == WatchFraming.SERVER_SENT_EVENTS) {
            exchange.response().setHeader("X-Accel-Buffering", "no");
        }
        return ChunkSink.begin(exchange);
    }

    /**
     * Opens several watches by server-sent events on one connection, which begin and end together
     * (list-watch.md#streams).
     *
     * @param parts what is watched, at least one
     * @param shared returns the sinks of the watches, which send to one
     * @return the connection, to be started
     * @throws Rejection if a watch cannot be opened
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted before the watches are open
     */
    public WatchConnection serve(
            List<StreamPart> parts, Function<FrameSink, List<FrameSink>> shared, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        DisconnectListener.requireWholeRequest(exchange.request());
        registry.requireOpen();
        List<Watch> watches = new ArrayList<>();
        boolean opened = false;
        try {
            for (StreamPart part : parts) {
                Watch watch =
                        watch(
                                begin(part.wanted(), part.frames(), exchange.minRevision()),
                                exchange,
                                RequestCredentials.of(exchange.request())
                                        .map(client -> client.with(part.permission())));
                watches.add(watch);
                registry.add(watch);
            }
            List<FrameSink> sinks =
                    shared.apply(respond(WatchFraming.SERVER_SENT_EVENTS, exchange));
            List<WatchConnection> all = new ArrayList<>();
            for (Watch watch : watches) {
                all.add(new WatchConnection(watch.client().task(), sinks.get(all.size()), watch));
            }
            WatchConnection first = all.getFirst();
            first.join(all.subList(1, all.size()));
            first.endOnDisconnect(exchange.request());
            exchange.beginWatch();
            opened = true;
            return first;
        } finally {
            // Jetty may have ended the request, so anything that touches it may fail.
            if (!opened) {
                watches.forEach(watch -> watch.end(EndReason.CLOSED));
            }
        }
    }

    /**
     * One of several watches of a connection.
     *
     * @param permission what the client needs for it
     */
    public record StreamPart(
            CollectionRequest wanted, FrameEncoder frames, Permission permission) {}

    /**
     * Determines how a watch begins.
     *
     * @param min a revision that no initial state may be before, 0 for any
     * @throws Rejection if the watch cannot be opened
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    private WatchStart begin(CollectionRequest wanted, FrameEncoder frames, Revision min)
            throws Rejection, InterruptedException {
        return new WatchStart(wanted, frames, phase(wanted, min));
    }

    /**
     * Returns the first phase of a watch.
     *
     * @param wanted the requested collection
     * @param min a revision that the initial state must not be before, 0 for any
     * @throws Rejection if the watch cannot be opened (list-watch.md#de-4, #wa-21)
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    private WatchPhase phase(CollectionRequest wanted, Revision min)
            throws Rejection, InterruptedException {
        Mirror mirror = wanted.mirror();
        Revision revision = ListOptions.revision(wanted.options().revision(), mirror.revision());
        directory.stateOf(mirror);
        Long timeout = wanted.options().streaming().timeoutSeconds();
        if (timeout != null && timeout < 0) {
            return WatchPhase.failed(StatusErrors.deadlineExceeded());
        }
        Boolean initialEvents = wanted.options().streaming().initialEvents();
        boolean beginsWithState = initialEvents != null && initialEvents;
        if (!beginsWithState && !revision.isZero()) {
            return startAfter(revision, wanted);
        }
        boolean named = revision.isAfter(Revision.later(min, floors.of(mirror)));
        if (named && !revisionWait.isReached(mirror, revision, revisionWait.patience())) {
            return WatchPhase.failed(StatusErrors.tooLargeRevision(revision, mirror.revision()));
        }
        Mirror.Position position = awaitShown(mirror, min);
        // Absent only on a deprecated path, where it means initial events without the closing
        // bookmark (list-watch.md#pa-9).
        return beginsWithState || initialEvents == null
                ? new WatchPhase.Initial(
                        position, beginsWithState && wanted.options().streaming().bookmarks())
                : WatchPhase.after(position.cursor());
    }

    /**
     * Waits for answered writes and for the revisions that the API server itself has served to
     * clients, so that none of them sees an earlier state (list-watch.md#ry-3, #fr-4). The API
     * server may lose these meanwhile.
     */
    private Mirror.Position awaitShown(Mirror mirror, Revision min)
            throws Rejection, InterruptedException {
        return revisionWait
                .await(mirror, min, revisionWait.patience())
                .orElseThrow(() -> new Rejection(StatusErrors.behindClients()));
    }

    private static WatchPhase startAfter(Revision revision, CollectionRequest wanted) {
        Mirror mirror = wanted.mirror();
        return switch (mirror.start(revision)) {
            case StartPosition.From from -> WatchPhase.after(from.cursor());
            case StartPosition.TooOld old -> WatchPhase.expired(revision, old.floor());
        };
    }

    private Watch watch(
            WatchStart start, Exchange exchange, Optional<RequestCredentials> credentials) {
        WatchClient client =
                new WatchClient(
                        WatchClient.Watcher.of(
                                start.wanted(), exchange.request(), scheduler.today(), credentials),
                        executor.task(scheduler.nanos()));
        WatchSchedule schedule = scheduler.schedule(start.wanted(), start.frames());
        WatchMeters.Meter meter = meters.of(start.wanted().mirror());
        meter.opened();
        return new Watch(start, client, schedule, meter, registry, client.task());
    }

    /**
     * The client of a watch.
     *
     * @param task the task of its connection
     */
    public record WatchClient(Watcher watcher, CoalescingTask task) {

        /**
         * The sender of a watch request.
         *
         * @param address the address and port of the client
         * @param agent the beginning of its {@code User-Agent}, empty if absent
         * @param selection the selected part of the mirror
         * @param since the start time
         * @param credentials the credentials that the watch was admitted with, empty if none are
         *     required
         */
        public record Watcher(
                String address,
                String agent,
                String selection,
                Instant since,
                Optional<RequestCredentials> credentials) {

            /** Clients can send an agent of any length; this is enough to tell them apart. */
            private static final int MAX_AGENT = 120;

            static Watcher of(
                    CollectionRequest wanted,
                    HttpServletRequest request,
                    Instant since,
                    Optional<RequestCredentials> credentials) {
                String agent = request.getHeader("User-Agent");
                return new Watcher(
                        request.getRemoteAddr() + ":" + request.getRemotePort(),
                        agent == null
                                ? ""
                                : agent.substring(0, Math.min(agent.length(), MAX_AGENT)),
                        text(wanted),
                        since,
                        credentials);
            }

            /** Without a limit, which the client has not asked for and each watch would keep. */
            private static String text(CollectionRequest wanted) {
                Selection selection = wanted.selection();
                return Stream.of(
                                prefixed("namespace ", selection.namespace()),
                                prefixed("labels ", selection.labels().text()),
                                prefixed("fields ", wanted.options().fields().text()),
                                prefixed("shards ", selection.shard().text()))
                        .filter(part -> !part.isEmpty())
                        .collect(Collectors.joining(", "));
            }

            private static String prefixed(String what, String value) {
                return value.isEmpty() ? "" : what + value;
            }
        }
    }

    /**
     * A watch of which it is known how it begins.
     *
     * @param frames the encoding of its events
     */
    public record WatchStart(CollectionRequest wanted, FrameEncoder frames, WatchPhase phase) {}
}
