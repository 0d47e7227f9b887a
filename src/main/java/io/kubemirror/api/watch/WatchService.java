package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.DisconnectListener;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.read.Floors;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.Plan.SelectedWatch;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.watch.Watch.Watcher;
import io.kubemirror.api.watch.WatchConnection.EndReason;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Starts watches (list-watch.md#watch-start, #server-sent-events). Thread-safe. */
public final class WatchService {

    /** Clients can send an agent of any length; this is enough to tell them apart. */
    private static final int MAX_AGENT = 120;

    private final MirrorDirectory directory;
    private final Floors floors;
    private final StalenessPolicy staleness;
    private final WatchProperties properties;
    private final WatchRegistry registry;
    private final WatchMeters meters;
    private final WatchExecutor executor;
    private final RequestTracker requests;
    private final LongSupplier nanos;
    private final RandomGenerator random;

    /**
     * Creates a service without watches.
     *
     * @param properties the configured durations and limits
     * @param requests tracks the watches whose requests have been completed
     * @param nanos a monotonic clock in nanoseconds
     * @param random draws random durations; used by many threads
     */
    public WatchService(
            MirrorDirectory directory,
            Floors floors,
            StalenessPolicy staleness,
            WatchProperties properties,
            WatchRegistry registry,
            WatchMeters meters,
            WatchExecutor executor,
            RequestTracker requests,
            LongSupplier nanos,
            RandomGenerator random) {
        this.directory = directory;
        this.floors = floors;
        this.staleness = staleness;
        this.properties = properties;
        this.registry = registry;
        this.meters = meters;
        this.executor = executor;
        this.requests = requests;
        this.nanos = nanos;
        this.random = random;
    }

    /**
     * Opens the watches of a connection, which end together. If the client requests a WebSocket,
     * they start by themselves when the request is complete and the connection has been upgraded
     * (list-watch.md#ws-1).
     *
     * @param parts at least one, all with the same framing
     * @return the connection, to be started; empty if the request is to be completed
     * @throws Rejection if a watch cannot be opened
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted before the watches are open
     */
    public Optional<WatchConnection> serve(List<SelectedWatch> parts, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        DisconnectListener.requireWholeRequest(exchange.request());
        CoalescingTask task = executor.task(nanos);
        List<Watch> watches = new ArrayList<>();
        boolean opened = false;
        try {
            for (SelectedWatch part : parts) {
                WatchPhase start = start(part.wanted(), exchange.minRevision());
                if (parts.size() == 1) {
                    // The headers describe one mirror.
                    staleness.refresh(part.wanted().mirror(), start.initialRevision(), exchange);
                }
                Watch watch = watch(part, start, task, exchange.request());
                watches.add(watch);
                // First: Jetty may start the watch of a WebSocket at once, which removes it at its
                // end.
                registry.add(watch);
            }
            WatchFraming framing = parts.getFirst().frames().watchFraming();
            Optional<WatchConnection> connection =
                    exchange.isWebSocketUpgrade()
                            ? upgrade(watches, framing, task, exchange)
                            : Optional.of(connect(watches, framing, task, exchange));
            opened = true;
            return connection;
        } finally {
            // Jetty may have ended the request, so anything that touches it may fail.
            if (!opened) {
                watches.forEach(watch -> watch.end(EndReason.CLOSED));
            }
        }
    }

    private Watch watch(
            SelectedWatch part, WatchPhase start, CoalescingTask task, HttpServletRequest request) {
        Mirror mirror = part.wanted().mirror();
        String agent = Objects.requireNonNullElse(request.getHeader("User-Agent"), "");
        Watcher client =
                new Watcher(
                        request.getRemoteAddr() + ":" + request.getRemotePort(),
                        agent.substring(0, Math.min(agent.length(), MAX_AGENT)),
                        text(part.wanted()),
                        staleness.clock().instant());
        return new Watch(
                part,
                start,
                client,
                task,
                WatchSchedule.of(part, properties, () -> staleness.state(mirror), nanos, random),
                meters.of(mirror),
                registry);
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

    private Optional<WatchConnection> upgrade(
            List<Watch> watches, WatchFraming framing, CoalescingTask task, Exchange exchange)
            throws Rejection {
        if (framing == WatchFraming.SERVER_SENT_EVENTS) {
            throw new Rejection(
                    StatusErrors.badRequest("server-sent events are not available by WebSocket"));
        }
        WebSocketSink sink = new WebSocketSink(exchange.memory().responses());
        if (!requests.begin()) {
            throw new Rejection(RequestTracker.shuttingDown());
        }
        try {
            sink.upgrade(exchange, new WatchConnection(task, sink, watches), requests::end);
        } catch (Rejection | RuntimeException failed) {
            requests.end();
            throw failed;
        }
        // From here on Jetty starts the watches, so nothing may fail.
        exchange.note().answered(HttpServletResponse.SC_OK);
        return Optional.empty();
    }

    /**
     * Sends the headers, so that the client knows that the watches are open (list-watch.md#wa-1,
     * #tr-4).
     */
    private static WatchConnection connect(
            List<Watch> watches, WatchFraming framing, CoalescingTask task, Exchange exchange)
            throws IOException {
        exchange.response().setContentType(framing.contentType());
        if (framing == WatchFraming.SERVER_SENT_EVENTS) {
            exchange.response().setHeader("X-Accel-Buffering", "no");
        }
        WatchConnection connection = new WatchConnection(task, ChunkSink.begin(exchange), watches);
        connection.endOnDisconnect(exchange.request());
        exchange.beginWatch();
        return connection;
    }

    /**
     * Returns how a watch begins.
     *
     * @param wanted the requested collection
     * @param min a revision that the initial state must not be before, 0 for any
     * @throws Rejection if the watch cannot be opened (list-watch.md#de-4, #wa-21)
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    private WatchPhase start(CollectionRequest wanted, Revision min)
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
        if (named && !floors.isReached(mirror, revision, floors.deadline(Query.MAX_TIMEOUT))) {
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
        return floors.await(mirror, min, floors.deadline(Query.MAX_TIMEOUT))
                .orElseThrow(() -> new Rejection(StatusErrors.behindClients()));
    }

    private static WatchPhase startAfter(Revision revision, CollectionRequest wanted) {
        Mirror mirror = wanted.mirror();
        return switch (mirror.start(revision)) {
            case StartPosition.From from -> WatchPhase.after(from.cursor());
            case StartPosition.TooOld old -> WatchPhase.expired(revision, old.floor());
        };
    }
}
