package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionMeters;
import io.kubemirror.model.MemoryBudget;

import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.jspecify.annotations.Nullable;

/**
 * Creates HTTP/1.1 connections whose request heads are charged to a memory budget while they
 * arrive.
 *
 * <p>Jetty keeps an unfinished head as a text buffer that grows by doubling, and every complete
 * field as an object. The buffer that it reads into is free again after each read. Neither the text
 * buffer nor the last head is released before the connection ends. A connection therefore acquires
 * memory before the bytes are parsed, for the largest head that it has had, and releases it when it
 * closes. A head that does not fit is refused with 429, and the connection is closed.
 *
 * <p>Heads of ordinary size are included in the memory of every connection ({@link
 * ClientMemory#CONNECTION}). They need no accounting here and are read even when the budget is
 * exhausted.
 *
 * <p>Rejected: Jetty's limit of the head alone, because it applies to each connection and must be
 * as large as the largest request; and a bounded buffer pool, because the heads are not kept in
 * buffers.
 */
final class BudgetedHttpFactory extends HttpConnectionFactory {

    /** Bytes of a head that are included in the memory of the connection, enough for a token. */
    private static final int ORDINARY = 2 * 1024;

    /** Fields that are included in the memory of the connection. */
    private static final int ORDINARY_FIELDS = 24;

    /**
     * Heap bytes for each further byte of a head. ASCII takes about 1.1 in an unfinished head and 3
     * in a watch with its query. Other characters take twice as much, and a text buffer takes more
     * while it grows.
     */
    private static final int FACTOR = 6;

    /** Heap bytes for each further field; the smallest possible field takes about 115. */
    private static final int FIELD = 160;

    private final MemoryBudget heads;
    private final ConnectionMeters meters;

    private BudgetedHttpFactory(
            HttpConfiguration http, MemoryBudget heads, ConnectionMeters meters) {
        super(http);
        this.heads = heads;
        this.meters = meters;
    }

    /** Makes all connections of a connector that has not been started use a budget. */
    static void install(Connector connector, MemoryBudget heads, ConnectionMeters meters) {
        if (connector instanceof AbstractConnector changed) {
            changed.setConnectionFactories(
                    changed.getConnectionFactories().stream()
                            .map(factory -> budgeted(factory, heads, meters))
                            .toList());
        }
    }

    private static ConnectionFactory budgeted(
            ConnectionFactory factory, MemoryBudget heads, ConnectionMeters meters) {
        return switch (factory) {
            case BudgetedHttpFactory budgeted -> budgeted;
            case BudgetedHttp2Factory budgeted -> budgeted;
            case HttpConnectionFactory http ->
                    new BudgetedHttpFactory(http.getHttpConfiguration(), heads, meters);
            case HTTP2ServerConnectionFactory http ->
                    new BudgetedHttp2Factory(
                            http.getHttpConfiguration(), http.getProtocol(), heads, meters);
            default -> factory;
        };
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint client) {
        HttpConnection connection = new BudgetedConnection(connector, client);
        connection.setTransferEncodingChunkMaxLength(getTransferEncodingChunkMaxLength());
        return configure(connection, connector, client);
    }

    /**
     * A connection with its own account of acquired memory.
     *
     * <p>One thread at a time parses, but another one may close the connection meanwhile. The
     * account is guarded by the connection's monitor, and nothing is acquired after the connection
     * has been closed.
     */
    private final class BudgetedConnection extends HttpConnection {

        private long acquired;
        private boolean closed;

        BudgetedConnection(Connector connector, EndPoint client) {
            super(BudgetedHttpFactory.this.getHttpConfiguration(), connector, client);
        }

        /** Called by the constructor above, before the fields of this class have been set. */
        @Override
        protected HttpParser newHttpParser(HttpCompliance compliance) {
            HttpParser parser =
                    new BudgetedParser(
                            (HttpParser.RequestHandler)
                                    super.newHttpParser(compliance).getHandler(),
                            compliance);
            parser.setHeaderCacheSize(getHttpConfiguration().getHeaderCacheSize());
            parser.setHeaderCacheCaseSensitive(getHttpConfiguration().isHeaderCacheCaseSensitive());
            return parser;
        }

        @Override
        protected RequestHandler newRequestHandler() {
            return new CountingHandler();
        }

        @Override
        public void onClose(@Nullable Throwable cause) {
            super.onClose(cause);
            release();
        }

        /** Acquires memory up to the given amount, and returns whether that succeeded. */
        private synchronized boolean reserve(long bytes) {
            long more = bytes - acquired;
            if (more <= 0) {
                return true;
            }
            if (closed || !heads.tryAcquire(more)) {
                return false;
            }
            acquired = bytes;
            return true;
        }

        private synchronized void release() {
            closed = true;
            heads.release(acquired);
            acquired = 0;
        }

        /** Counts the fields of a head, and acquires memory before a field is kept. */
        private final class CountingHandler extends HttpConnection.RequestHandler {

            private int fields;

            @Override
            public void messageBegin() {
                fields = 0;
                super.messageBegin();
            }

            @Override
            public void parsedHeader(HttpField field) {
                count();
                super.parsedHeader(field);
            }

            @Override
            public void parsedTrailer(HttpField field) {
                count();
                super.parsedTrailer(field);
            }

            private void count() {
                fields++;
                if (!reserve(cost(getParser().getHeaderLength(), fields))) {
                    throw refusal();
                }
            }
        }

        /** Acquires memory for the bytes that are about to be parsed. */
        private final class BudgetedParser extends HttpParser {

            BudgetedParser(HttpParser.RequestHandler handler, HttpCompliance compliance) {
                super(handler, getHttpConfiguration().getRequestHeaderSize(), compliance);
            }

            @Override
            public boolean parseNext(ByteBuffer buffer) {
                int length = getHeaderLength() + (isContent() ? 0 : buffer.remaining());
                if (length <= ORDINARY || reserve(cost(length, 0))) {
                    return super.parseNext(buffer);
                }
                buffer.position(buffer.limit());
                badMessage(refusal());
                return false;
            }

            private boolean isContent() {
                return inContentState() && !isState(State.TRAILER);
            }
        }
    }

    /**
     * Returns the charge of a head beyond that of an ordinary one, in bytes.
     *
     * @param length the number of its characters so far
     * @param fields the number of its fields so far
     */
    static long cost(int length, int fields) {
        return (long) FACTOR * Math.max(0, length - ORDINARY)
                + (long) FIELD * Math.max(0, fields - ORDINARY_FIELDS);
    }

    private HttpException.RuntimeException refusal() {
        meters.refused(ConnectionMeters.Reason.MEMORY);
        return new HttpException.RuntimeException(HttpStatus.TOO_MANY_REQUESTS_429);
    }
}
