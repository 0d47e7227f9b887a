package io.kubemirror.api.server;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.model.MemoryBudget;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.SessionContainer;
import org.eclipse.jetty.http2.api.server.ServerSessionListener;
import org.eclipse.jetty.http2.generator.Generator;
import org.eclipse.jetty.http2.parser.ServerParser;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.internal.HTTP2ServerConnection;
import org.eclipse.jetty.http2.server.internal.HTTP2ServerSession;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeoutException;

/**
 * Creates HTTP/2 connections, negotiated by TLS or with prior knowledge, whose clients are limited
 * in what they may send.
 *
 * <p>A connection is charged for the bytes that its client may send before they are read ({@link
 * ClientMemory#HTTP2}); one that does not fit is closed. Request heads that arrive in pieces are
 * charged in addition while they arrive, as with HTTP/1.1. {@link ConnectionLimiter} charges each
 * stream. Frames that cause work but carry no data (resets, pings, settings, priorities, fragments
 * of heads) are limited in their rate, which ends the connection with ENHANCE_YOUR_CALM.
 *
 * <p>The upgrade of a request of HTTP/1.1 ({@code Upgrade: h2c}) is not supported: clients have
 * given it up (RFC 9113, 3.1), and it would let a request change the protocol behind a proxy that
 * does not know it. WebSockets over HTTP/2 (RFC 8441) are not announced, so browsers open a
 * connection of HTTP/1.1 for each.
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

    /** The size of a piece of a head that needs no accounting, in bytes. */
    private static final int ORDINARY = 2 * 1024;

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

    /** Does what Jetty's factory does, with a parser whose buffers are charged. */
    @Override
    public HTTP2ServerConnection newConnection(Connector connector, EndPoint client) {
        HttpConfiguration http = getHttpConfiguration();
        HeadBuffers buffers = new HeadBuffers(connector.getByteBufferPool());
        ServerParser parser =
                new ServerParser(
                        buffers,
                        http.getRequestHeaderSize(),
                        new BoundedHttp2Session.FrameLimit(FRAMES, client));
        parser.setMaxSettingsKeys(getMaxSettingsKeys());
        ServerSessionListener listener = newSessionListener(connector, client);
        HTTP2ServerSession session = newSession(connector, client, parser, listener);
        HTTP2ServerConnection connection =
                new HTTP2ServerConnection(connector, client, http, session, listener) {
                    // Ends a connection that waits for its client to read, as HTTP/1.1 does.
                    @Override
                    public boolean onIdleExpired(TimeoutException timeout) {
                        return BoundedHttp2Session.isWriting(client)
                                || super.onIdleExpired(timeout);
                    }
                };
        connection.setUseInputDirectByteBuffers(isUseInputDirectByteBuffers());
        connection.setUseOutputDirectByteBuffers(isUseOutputDirectByteBuffers());
        connection.addEventListener(getBean(SessionContainer.class));
        connection.addEventListener(buffers);
        parser.init(connection);
        configure(connection, connector, client);
        if (!buffers.begin()) {
            meters.refused(ConnectionMeters.Reason.MEMORY);
            client.close();
        }
        return connection;
    }

    private HTTP2ServerSession newSession(
            Connector connector,
            EndPoint client,
            ServerParser parser,
            ServerSessionListener listener) {
        HttpConfiguration http = getHttpConfiguration();
        Generator generator =
                new Generator(
                        connector.getByteBufferPool(),
                        isUseOutputDirectByteBuffers(),
                        getMaxHeaderBlockFragment());
        generator.getHpackEncoder().setMaxHeaderListSize(http.getResponseHeaderSize());
        HTTP2ServerSession session =
                new BoundedHttp2Session(
                        connector.getScheduler(), client, parser, generator, listener);
        session.setMaxLocalStreams(getMaxConcurrentStreams());
        session.setMaxRemoteStreams(getMaxConcurrentStreams());
        session.setMaxEncoderTableCapacity(getMaxEncoderTableCapacity());
        session.setStreamIdleTimeout(client.getIdleTimeout());
        session.setInitialSessionRecvWindow(getInitialSessionRecvWindow());
        session.setWriteThreshold(http.getOutputBufferSize());
        session.setConnectProtocolEnabled(isConnectProtocolEnabled());
        return session;
    }

    /**
     * The buffers of a connection in which heads wait for their end, and its account. One thread at
     * a time parses, but another one may close the connection meanwhile; Jetty does not release the
     * buffer of an unfinished head then. The account is guarded by the monitor, and nothing is
     * acquired after the end.
     */
    private final class HeadBuffers extends ByteBufferPool.Wrapper implements Connection.Listener {

        private long acquired;
        private boolean closed;

        HeadBuffers(ByteBufferPool pool) {
            super(pool);
        }

        /** Charges the connection itself, and returns whether it fits. */
        boolean begin() {
            return reserve(ClientMemory.HTTP2);
        }

        @Override
        public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
            if (size <= ORDINARY) {
                return super.acquire(size, direct);
            }
            if (!reserve(size)) {
                meters.refused(ConnectionMeters.Reason.MEMORY);
                // The parser closes the connection.
                throw new IllegalStateException("there is no memory for the head of a request");
            }
            return new RetainableByteBuffer.Wrapper(super.acquire(size, direct)) {
                @Override
                public boolean release() {
                    boolean last = super.release();
                    if (last) {
                        HeadBuffers.this.release(size);
                    }
                    return last;
                }
            };
        }

        private synchronized boolean reserve(long bytes) {
            if (closed || !heads.tryAcquire(bytes)) {
                return false;
            }
            acquired += bytes;
            return true;
        }

        private synchronized void release(long bytes) {
            if (!closed) {
                acquired -= bytes;
                heads.release(bytes);
            }
        }

        @Override
        public void onOpened(Connection connection) {}

        @Override
        public synchronized void onClosed(Connection connection) {
            closed = true;
            heads.release(acquired);
            acquired = 0;
        }
    }
}
