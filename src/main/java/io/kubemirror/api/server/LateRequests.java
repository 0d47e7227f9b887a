package io.kubemirror.api.server;

import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.NegotiatingServerConnection;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Closes the connections of a server on which the head of a request takes too long to arrive.
 *
 * <p>Jetty's idle timeout ends connections without traffic, but lets a client send a head byte by
 * byte for days. Every connection is therefore checked several times within the request timeout. No
 * request needs a body. Only the time in which the server waits for the client counts. Once a
 * connection of HTTP/2 has had a request, it has only the timeouts of that protocol.
 *
 * <p>Rejected: a timer for every connection or request; and Jetty's minimum data rate, because it
 * applies to bodies only.
 */
final class LateRequests extends AbstractLifeCycle {

    /** The number of checks of each connection within the request timeout. */
    private static final int CHECKS = 4;

    private final Supplier<Duration> patience;
    private final Predicate<EndPoint> refused;
    private final ConnectionMeters meters;
    private final LongSupplier nanoTime;

    /** Read before the server starts: Boot hides them from the server while that starts. */
    private final List<Connector> connectors;

    /** The connections on which a request arrives. Used by the scheduler's thread only. */
    private Map<EndPoint, Arrival> arrivals = Map.of();

    /**
     * A request that has begun to arrive.
     *
     * @param messages the number of requests before it
     * @param since when the server was first found to wait for its rest
     */
    private record Arrival(long messages, long since) {}

    /**
     * Creates the checks of a server that has not been started, and adds them to it.
     *
     * @param patience the maximum time for a request to arrive
     * @param refused whether a client that has been answered should have disconnected
     * @param nanoTime the time in nanoseconds, from any origin
     */
    LateRequests(
            Server server,
            Supplier<Duration> patience,
            Predicate<EndPoint> refused,
            ConnectionMeters meters,
            LongSupplier nanoTime) {
        this.connectors = List.of(server.getConnectors());
        this.patience = patience;
        this.refused = refused;
        this.meters = meters;
        this.nanoTime = nanoTime;
        server.addBean(this);
    }

    @Override
    protected void doStart() {
        checkLater();
    }

    private void checkLater() {
        var _ =
                connectors
                        .getFirst()
                        .getScheduler()
                        .schedule(
                                this::check,
                                patience.get().dividedBy(CHECKS).toNanos(),
                                TimeUnit.NANOSECONDS);
    }

    private void check() {
        if (isStopping() || isStopped()) {
            return;
        }
        try {
            long now = nanoTime.getAsLong();
            long limit = patience.get().toNanos();
            Map<EndPoint, Arrival> waiting = new HashMap<>();
            connectors.stream()
                    .flatMap(connector -> connector.getConnectedEndPoints().stream())
                    .forEach(client -> check(client, now, limit, waiting));
            arrivals = waiting;
        } finally {
            checkLater();
        }
    }

    private void check(EndPoint client, long now, long limit, Map<EndPoint, Arrival> waiting) {
        Connection http = unwrapped(client.getConnection());
        if (http == null || !client.isFillInterested() || !isArriving(client, http)) {
            return;
        }
        Arrival before = arrivals.get(client);
        long messages = http.getMessagesIn();
        Arrival arrival =
                before != null && before.messages() == messages
                        ? before
                        : new Arrival(messages, now);
        waiting.put(client, arrival);
        if (now - arrival.since() >= limit) {
            meters.refused(ConnectionMeters.Reason.LATE);
            client.close();
        }
    }

    private static @Nullable Connection unwrapped(@Nullable Connection connection) {
        return connection instanceof SslConnection tls
                ? tls.getSslEndPoint().getConnection()
                : connection;
    }

    /** Whether a request is arriving; the first one is from the start of the connection. */
    private boolean isArriving(EndPoint client, Connection connection) {
        return switch (connection) {
            case HttpConnection http ->
                    http.getHttpChannel().getRequest() == null
                            && (http.getMessagesIn() == 0
                                    || !http.getParser().isIdle()
                                    || refused.test(client));
            case HTTP2Connection http -> http.getMessagesIn() == 0 || refused.test(client);
            case NegotiatingServerConnection _ -> true;
            default -> false;
        };
    }
}
