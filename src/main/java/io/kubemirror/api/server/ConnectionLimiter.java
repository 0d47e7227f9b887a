package io.kubemirror.api.server;

import module java.base;

import com.sun.management.UnixOperatingSystemMXBean;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionMeters.Reason;
import io.kubemirror.api.server.ConnectionTracker.ClientConnection;
import io.kubemirror.model.Names;
import io.kubemirror.model.Status;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.constraints.Min;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.IO;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.convert.DurationUnit;

import java.lang.management.ManagementFactory;

/**
 * Tracks the connections of the API's port, and limits their number.
 *
 * <p>A connection beyond a limit is still accepted, so that its client gets an error with a reason
 * and a retry time; it is closed after this response. Only a few such connections are open at a
 * time. If there are more, Jetty accepts nothing until some of them are closed, and connections of
 * a client that has too many of its own, or for which there is no memory, are closed without a
 * response. They never take the place of connections within the limits.
 *
 * <p>Each connection is charged a fixed amount of the memory budget, most of which is the memory of
 * a watch. A connection that does not fit the budget is beyond a limit.
 *
 * <p>Rejected: Jetty's own limit alone, because a client beyond it waits without a response, and
 * because it ignores addresses; and a limit on the accept rate, because it would delay thousands of
 * watches that reconnect after a restart.
 */
public final class ConnectionLimiter implements SelectorManager.AcceptListener, MeterBinder {

    /** The attribute of a request that shares its connection. */
    private static final String ANSWERED = ConnectionLimiter.class.getName();

    /**
     * The maximum number of connections beyond the total limit that get a response at the same
     * time.
     */
    public static final int SPARE = 100;

    /**
     * The maximum number of connections beyond a client's limit that get a response at the same
     * time.
     */
    static final int SPARE_PER_CLIENT = 10;

    /** Files that the process has open beside its clients: libraries, logs, the API server. */
    private static final int OWN_FILES = 300;

    private static final Logger log = LoggerFactory.getLogger(ConnectionLimiter.class);

    private final ConnectionProperties limits;
    private final ClientMemory memory;
    private final ConnectionMeters meters;
    private final ConnectionTracker tracker;

    /** By address. Guarded by this, as all counts are. */
    private final Map<InetAddress, ConnectionCounts> clients = new HashMap<>();

    private final ConnectionCounts all = new ConnectionCounts();

    /**
     * The budget charge of each connection, in bytes; set before the first connection is accepted.
     */
    private volatile int cost = ClientMemory.CONNECTION;

    /** Jetty's own limit; set before the first connection is accepted. Guarded by this. */
    private @Nullable NetworkConnectionLimit acceptor;

    /**
     * Limits for client connections.
     *
     * @param max Maximum number of connections of all clients; 0 for no limit.
     * @param maxPerClient Maximum number of connections per client address; 0 for no limit.
     * @param managementMax Maximum number of connections to the management port. Beyond it, others
     *     wait, and those that are silent for a second end.
     * @param requestTimeout Maximum time for a request to arrive, measured from its first byte or
     *     from the start of the connection.
     */
    public record ConnectionProperties(
            @DefaultValue("15000")
                    @Min(value = 0, message = "is negative; use a limit, or 0 for no limit")
                    int max,
            @DefaultValue("0")
                    @Min(value = 0, message = "is negative; use a limit, or 0 for no limit")
                    int maxPerClient,
            @DefaultValue("100") @Min(value = 10, message = "is too small; use 10 or more")
                    int managementMax,
            @DefaultValue("10s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(
                            millis = 100,
                            message = "is too short; use 100ms or more, for example 10s")
                    Duration requestTimeout) {

        /** Rejects a limit per client that exceeds the limit of all clients. */
        public ConnectionProperties {
            if (max > 0 && maxPerClient > max) {
                throw new InvalidConfigurationPropertyValueException(
                        "kubemirror.connections.max-per-client",
                        maxPerClient,
                        "%d is above max; use %d or less, or 0 for no limit"
                                .formatted(maxPerClient, max));
            }
        }

        /**
         * Returns the number of files that the process has to be able to open for these limits: one
         * for each connection and those of its own. 0 if the connections are not limited.
         */
        int openFiles() {
            return max == 0 ? 0 : max + SPARE + managementMax + OWN_FILES;
        }
    }

    /** The numbers of connections within and beyond the limits. */
    private static final class ConnectionCounts {

        private int admitted;
        private int excessive;

        private void add(boolean beyond, int number) {
            if (beyond) {
                excessive += number;
            } else {
                admitted += number;
            }
        }
    }

    /**
     * Creates a limiter without connections.
     *
     * @param limits the configured limits
     * @param nanoTime the time in nanoseconds, from any origin
     */
    public ConnectionLimiter(
            ConnectionProperties limits,
            ClientMemory memory,
            ConnectionMeters meters,
            LongSupplier nanoTime) {
        this.limits = limits;
        this.memory = memory;
        this.meters = meters;
        this.tracker = new ConnectionTracker(limits.requestTimeout(), meters, nanoTime);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("kubemirror.connections.open", tracker, ConnectionTracker::size)
                .description("Open client connections")
                .register(registry);
    }

    /** Tracks the connections of a server that has not been started. */
    synchronized void keep(Server server) {
        for (Connector connector : server.getConnectors()) {
            if (connector.getConnectionFactory(SslConnectionFactory.class) != null) {
                cost = ClientMemory.CONNECTION + ClientMemory.TLS;
            }
        }
        tracker.track(server, this, memory.heads());
        acceptor = new NetworkConnectionLimit(Integer.MAX_VALUE, server.getConnectors());
        server.addBean(acceptor);
        limitAcceptor();
        // Negative: unlimited. The JVM has raised the soft limit to the hard one.
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                && unix.getMaxFileDescriptorCount() >= 0) {
            checkOpenFiles(limits, unix.getMaxFileDescriptorCount());
        }
    }

    /** Warns if the process may not open as many files as connections are allowed. */
    private static void checkOpenFiles(ConnectionProperties connections, long limit) {
        if (limit < connections.openFiles()) {
            log.warn(
                    "The process may open {} files, too few for kubemirror.connections.max={};"
                            + " raise the limit of open files (ulimit -n) to {} or more, or lower"
                            + " kubemirror.connections.max",
                    limit,
                    connections.max(),
                    connections.openFiles());
        }
    }

    /**
     * Lets Jetty accept a few connections beyond the limit. If that was lowered, those that are
     * open may be beyond it already.
     */
    private synchronized void limitAcceptor() {
        int max = limits.max();
        if (acceptor != null) {
            acceptor.setMaxNetworkConnectionCount(
                    max == 0 ? Integer.MAX_VALUE : Math.max(max, all.admitted) + SPARE);
        }
    }

    /** Closes a connection that cannot be counted: limits would not apply to it. */
    @Override
    public void onAccepting(SelectableChannel channel) {
        boolean accepted = false;
        try {
            accepted =
                    ((SocketChannel) channel).getRemoteAddress() instanceof InetSocketAddress client
                            && accept(channel, client.getAddress());
        } catch (IOException gone) {
            log.debug("A client has disconnected: {}", gone.toString());
        } finally {
            if (!accepted) {
                IO.close(channel);
            }
        }
    }

    /** Counts a connection, and returns whether its requests should be read. */
    private synchronized boolean accept(SelectableChannel channel, InetAddress client) {
        ClientConnection admitted = new ClientConnection(client, Optional.empty());
        ConnectionCounts own =
                clients.computeIfAbsent(admitted.client(), _ -> new ConnectionCounts());
        Optional<Reason> excess = excess(own, admitted);
        excess.ifPresent(
                reason -> {
                    memory.connections().acquire(cost);
                    meters.refused(reason);
                });
        own.add(excess.isPresent(), 1);
        all.add(excess.isPresent(), 1);
        limitAcceptor();
        tracker.add(
                channel,
                excess.map(reason -> refusal(reason))
                        .map(refusal -> new ClientConnection(client, Optional.of(refusal)))
                        .orElse(admitted));
        return all.excessive <= SPARE
                && (limits.maxPerClient() == 0 || own.excessive <= SPARE_PER_CLIENT);
    }

    private Optional<Reason> excess(ConnectionCounts own, ClientConnection admitted) {
        ConnectionProperties now = limits;
        if (now.maxPerClient() > 0 && own.admitted >= now.maxPerClient()) {
            return Optional.of(Reason.CLIENT);
        }
        if (now.max() > 0 && all.admitted >= now.max()) {
            return Optional.of(Reason.TOTAL);
        }
        return memory.connections().tryAcquire(cost)
                ? Optional.empty()
                : Optional.of(Reason.MEMORY);
    }

    private static Status refusal(Reason excess) {
        return switch (excess) {
            case CLIENT ->
                    StatusErrors.tooManyConnections(
                            "your address has", "kubemirror.connections.max-per-client");
            case MEMORY, RESPONSE -> StatusErrors.outOfMemory();
            case TOTAL, LATE ->
                    StatusErrors.tooManyConnections("kubemirror has", "kubemirror.connections.max");
        };
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        onClosed(channel);
    }

    @Override
    public synchronized void onClosed(SelectableChannel channel) {
        tracker.remove(channel).ifPresent(this::closed);
    }

    private void closed(ClientConnection connection) {
        memory.connections().release(cost);
        boolean beyond = connection.refusal().isPresent();
        ConnectionCounts own = Objects.requireNonNull(clients.get(connection.client()));
        own.add(beyond, -1);
        all.add(beyond, -1);
        limitAcceptor();
        if (own.admitted + own.excessive == 0) {
            clients.remove(connection.client());
        }
    }

    /**
     * Records the arrival of a request.
     *
     * @return the error response if the connection of the request is beyond a limit
     */
    Optional<Status> received(HttpServletRequest request) {
        Optional<ClientConnection> connection = tracker.received(request);
        return connection.flatMap(ClientConnection::refusal).or(() -> excessOfStream(request));
    }

    /**
     * Charges a request that shares its connection with others until it is answered, as if it had a
     * connection of its own.
     */
    private Optional<Status> excessOfStream(HttpServletRequest http) {
        Request request = ServletContextRequest.getServletContextRequest(http);
        if (request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_2) {
            return Optional.empty();
        }
        int length = request.getHttpURI().toString().length();
        for (HttpField field : request.getHeaders()) {
            length += field.getName().length() + Objects.toString(field.getValue(), "").length();
        }
        long charge =
                ClientMemory.CONNECTION
                        + BudgetedHttpFactory.cost(length, request.getHeaders().size());
        if (!memory.connections().tryAcquire(charge)) {
            meters.refused(Reason.MEMORY);
            return Optional.of(StatusErrors.outOfMemory());
        }
        AtomicBoolean charged = new AtomicBoolean(true);
        Runnable answered =
                () -> {
                    if (charged.getAndSet(false)) {
                        memory.connections().release(charge);
                    }
                };
        http.setAttribute(ANSWERED, answered);
        Request.addCompletionListener(request, _ -> answered.run());
        return Optional.empty();
    }

    /**
     * Returns what releases the charge of a request when it has been answered. Jetty releases the
     * charges of requests that it completes. It may fail to complete one that its client cancels
     * while its response begins.
     */
    public static Runnable answered(HttpServletRequest request) {
        return request.getAttribute(ANSWERED) instanceof Runnable answered ? answered : () -> {};
    }

    /**
     * Counts the connections that are refused or closed, and the requests without memory.
     * Thread-safe.
     */
    public static final class ConnectionMeters implements MeterBinder {

        private final Map<Reason, LongAdder> refused =
                Arrays.stream(Reason.values())
                        .collect(Collectors.toMap(Function.identity(), _ -> new LongAdder()));

        /** The reason why a connection or a request is refused. */
        public enum Reason {
            /** All clients together have too many connections. */
            TOTAL,
            /** The client has too many connections. */
            CLIENT,
            /** No complete request has arrived in time. */
            LATE,
            /** There is no memory for the connection or for its request head. */
            MEMORY,
            /** There is no memory for a response. The connection stays open. */
            RESPONSE
        }

        @Override
        public void bindTo(MeterRegistry registry) {
            refused.forEach(
                    (reason, count) ->
                            FunctionCounter.builder(
                                            "kubemirror.connections.refused", count, LongAdder::sum)
                                    .description(
                                            "Connections refused or closed, because a limit of"
                                                    + " number, time, or memory was exceeded")
                                    .tag("reason", Names.kebab(reason))
                                    .register(registry));
        }

        /** Records that a connection, or a request on it, is refused. */
        public void refused(Reason reason) {
            Objects.requireNonNull(refused.get(reason)).increment();
        }
    }
}
