package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionMeters;
import io.kubemirror.model.MemoryBudget;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.BufferingFlowControlStrategy;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.SessionContainer;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.api.server.ServerSessionListener;
import org.eclipse.jetty.http2.frames.WindowUpdateFrame;
import org.eclipse.jetty.http2.generator.Generator;
import org.eclipse.jetty.http2.parser.ServerParser;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.internal.HTTP2ServerConnection;
import org.eclipse.jetty.http2.server.internal.HTTP2ServerSession;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.io.WindowRateControl;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Creates HTTP/2 connections, negotiated by TLS or with prior knowledge, whose clients are limited
 * in what they may send.
 *
 * <p>A connection is charged for all that its client may send before it is read ({@link
 * ClientMemory#HTTP2}); one that does not fit is closed. {@link ConnectionLimiter} charges each
 * stream. Frames that cause work but carry no data (resets, pings, settings, priorities, fragments
 * of heads) are limited in their rate, which ends the connection with ENHANCE_YOUR_CALM.
 *
 * <p>The upgrade of a request of HTTP/1.1 ({@code Upgrade: h2c}) is not supported: clients have
 * given it up (RFC 9113, 3.1), and it would let a request change the protocol behind a proxy that
 * does not know it. WebSockets over HTTP/2 (RFC 8441) are not announced, so browsers open a
 * connection of HTTP/1.1 for each.
 *
 * <p>While a write waits for the client, Jetty queues what the client's frames cause: answers to
 * pings and settings, resets, and window updates. It queues each. Here, window updates of a stream
 * are added up, so at most one of each stream waits, and other frames are limited in their number
 * ({@link FrameLimit}).
 */
final class BudgetedHttp2Factory extends HTTP2ServerConnectionFactory
        implements ConnectionFactory.Upgrading {

    /** The maximum number of streams of a connection, Go's default and thus the API server's. */
    static final int STREAMS = 250;

    /**
     * The maximum number of frames without data in a second. A client that ends all its watches at
     * once resets as many streams.
     */
    static final int FRAMES = 2 * STREAMS;

    /** The attribute of a stream that has been idle for too long once. */
    private static final String ASKED = "idle";

    private final MemoryBudget heads;
    private final ConnectionMeters meters;

    /**
     * Creates a factory.
     *
     * @param http the settings, which are those of HTTP/1.1
     * @param protocol {@code h2} or {@code h2c}
     * @param heads the budget for what clients send
     */
    BudgetedHttp2Factory(
            HttpConfiguration http, String protocol, MemoryBudget heads, ConnectionMeters meters) {
        super(http, protocol);
        this.heads = heads;
        this.meters = meters;
        setMaxConcurrentStreams(STREAMS);
        setInitialSessionRecvWindow(ClientMemory.HTTP2_WINDOW);
        setInitialStreamRecvWindow(ClientMemory.HTTP2_WINDOW);
        setConnectProtocolEnabled(false);
    }

    @Override
    public @Nullable Connection upgradeConnection(
            Connector connector,
            EndPoint client,
            MetaData.Request request,
            HttpFields.Mutable response) {
        if (!HttpMethod.PRI.is(request.getMethod())) {
            return null;
        }
        HTTP2ServerConnection connection = newConnection(connector, client);
        connection.upgrade(request, response);
        return connection;
    }

    /** Does what Jetty's factory does, with a session that adds up window updates. */
    @Override
    public HTTP2ServerConnection newConnection(Connector connector, EndPoint client) {
        HttpConfiguration http = getHttpConfiguration();
        ServerParser parser =
                new ServerParser(
                        connector.getByteBufferPool(),
                        Math.min(ClientMemory.HTTP2_HEAD, http.getRequestHeaderSize()),
                        new FrameLimit(FRAMES, client));
        parser.setMaxSettingsKeys(getMaxSettingsKeys());
        ServerSessionListener listener = newSessionListener(connector, client);
        HTTP2ServerSession session = newSession(connector, client, parser, listener);
        HTTP2ServerConnection connection =
                new HTTP2ServerConnection(connector, client, http, session, listener) {

                    // Ends a connection that waits for its client to read, as HTTP/1.1 does.
                    @Override
                    public boolean onIdleExpired(TimeoutException timeout) {
                        return isWriting(client) || super.onIdleExpired(timeout);
                    }
                };
        connection.setUseInputDirectByteBuffers(isUseInputDirectByteBuffers());
        connection.setUseOutputDirectByteBuffers(isUseOutputDirectByteBuffers());
        connection.addEventListener(getBean(SessionContainer.class));
        parser.init(connection);
        configure(connection, connector, client);
        charge(connection, client);
        return connection;
    }

    private void charge(Connection connection, EndPoint client) {
        if (!heads.tryAcquire(ClientMemory.HTTP2)) {
            meters.refused(ConnectionMeters.Reason.MEMORY);
            client.close();
            return;
        }
        connection.addEventListener(
                new Connection.Listener() {
                    @Override
                    public void onClosed(Connection closed) {
                        heads.release(ClientMemory.HTTP2);
                    }
                });
    }

    @Override
    protected ServerSessionListener newSessionListener(Connector connector, EndPoint client) {
        return new HTTPServerSessionListener(client) {

            // Jetty asks a request once whether its stream may be idle, and resets it the next
            // time. One that has nothing to write stays.
            @Override
            public void onIdleTimeout(
                    Stream stream, TimeoutException timeout, Promise<Boolean> reset) {
                boolean first = stream.getAttribute(ASKED) == null;
                if (first || isStalled(stream)) {
                    stream.setAttribute(ASKED, true);
                    super.onIdleTimeout(stream, timeout, scheduling(stream, reset));
                } else {
                    reset.succeeded(false);
                }
            }
        };
    }

    /**
     * Schedules the next timeout of a stream that stays. Jetty looks for it before a request has
     * answered, on another thread, and may miss it for good.
     */
    private static Promise<Boolean> scheduling(Stream stream, Promise<Boolean> reset) {
        return Promise.from(
                ends -> {
                    reset.succeeded(ends);
                    if (!ends) {
                        stream.setIdleTimeout(stream.getIdleTimeout());
                    }
                },
                reset::failed);
    }

    private static boolean isStalled(Stream stream) {
        return stream instanceof HTTP2Stream sending
                && (sending.getSendWindow() <= 0 || sending.getSession().getSendWindow() <= 0);
    }

    private HTTP2ServerSession newSession(
            Connector connector,
            EndPoint client,
            ServerParser parser,
            ServerSessionListener listener) {
        HTTP2ServerSession session =
                new AddingSession(
                        connector.getScheduler(),
                        client,
                        parser,
                        generator(connector),
                        listener,
                        new Grants());
        session.setMaxLocalStreams(getMaxConcurrentStreams());
        session.setMaxRemoteStreams(getMaxConcurrentStreams());
        session.setMaxEncoderTableCapacity(getMaxEncoderTableCapacity());
        session.setStreamIdleTimeout(client.getIdleTimeout());
        session.setInitialSessionRecvWindow(getInitialSessionRecvWindow());
        session.setWriteThreshold(getHttpConfiguration().getOutputBufferSize());
        session.setConnectProtocolEnabled(isConnectProtocolEnabled());
        return session;
    }

    private Generator generator(Connector connector) {
        Generator generator =
                new Generator(
                        connector.getByteBufferPool(),
                        isUseOutputDirectByteBuffers(),
                        getMaxHeaderBlockFragment());
        generator
                .getHpackEncoder()
                .setMaxHeaderListSize(getHttpConfiguration().getResponseHeaderSize());
        return generator;
    }

    /** Whether a write waits until the client reads. */
    static boolean isWriting(EndPoint client) {
        return client instanceof AbstractEndPoint point && point.getWriteFlusher().isPending();
    }

    /** A session in which at most one window update of each stream waits. */
    private static final class AddingSession extends HTTP2ServerSession {

        private final Grants grants;

        AddingSession(
                Scheduler scheduler,
                EndPoint client,
                ServerParser parser,
                Generator generator,
                ServerSessionListener listener,
                Grants grants) {
            super(scheduler, client, parser, generator, listener, grants);
            this.grants = grants;
        }

        @Override
        public void onWindowUpdate(@Nullable HTTP2Stream stream, WindowUpdateFrame frame) {
            if (grants.add(frame.getStreamId(), frame.getWindowDelta())) {
                super.onWindowUpdate(stream, frame);
            }
        }
    }

    /** The bytes that the client grants to the connection (0) and its streams, until they apply. */
    private static final class Grants extends BufferingFlowControlStrategy {

        /** By the number of the stream. The parsing thread adds, the writing one takes. */
        private final Map<Integer, Integer> sums = new HashMap<>();

        Grants() {
            super(0.5F);
        }

        /** Adds a grant, and returns whether it is the only one of its stream. */
        synchronized boolean add(int stream, int bytes) {
            Integer others = sums.get(stream);
            // A client that grants more than there can be stalls its own stream.
            long sum = others == null ? bytes : (long) others + bytes;
            sums.put(stream, Math.clamp(sum, Integer.MIN_VALUE, Integer.MAX_VALUE));
            return others == null;
        }

        private synchronized int take(int stream) {
            Integer sum = sums.remove(stream);
            return sum == null ? 0 : sum;
        }

        @Override
        public void onWindowUpdate(
                Session session, @Nullable Stream stream, WindowUpdateFrame frame) {
            int id = frame.getStreamId();
            super.onWindowUpdate(session, stream, new WindowUpdateFrame(id, take(id)));
        }
    }

    /**
     * Limits the frames that carry no data, but cause work: to a number in a second, and to the
     * same number while a write waits for the client. Jetty ends the connection with
     * ENHANCE_YOUR_CALM; one that does not read is closed, because it would not read that either.
     */
    static final class FrameLimit implements RateControl {

        private final int most;
        private final EndPoint client;
        private final RateControl second;

        /** What has been written when a frame was counted last. Guarded by this, as the count. */
        private long written;

        private int unread;

        FrameLimit(int most, EndPoint client) {
            this.most = most;
            this.client = client;
            this.second = new WindowRateControl(most, Duration.ofSeconds(1));
        }

        @Override
        public boolean onEvent(Object frame) {
            boolean few = second.onEvent(frame) && !isTooMany();
            if (!few && isWriting(client)) {
                client.close();
            }
            return few;
        }

        private synchronized boolean isTooMany() {
            Connection connection = client.getConnection();
            long now = connection == null ? 0 : connection.getBytesOut();
            if (now != written || !isWriting(client)) {
                written = now;
                unread = 0;
            }
            return ++unread > most;
        }
    }
}
