package io.kubemirror.api.server;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.memory.MemoryBudget;

import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;

/**
 * HTTP/1.1 whose request heads draw from a memory budget while they arrive.
 *
 * <p>Jetty keeps of an unfinished head a text that grows by doubling, and every complete field as
 * an object; the buffer that it reads into is free again after each read. Neither the text nor the
 * last head is given back before the connection ends. So a connection acquires memory before the
 * bytes are parsed, for the largest head that it has had, and returns it when it is closed. A head
 * that does not fit is refused with 429 and the connection closed.
 *
 * <p>Ordinary heads are part of what every connection takes ({@link ClientMemory#CONNECTION}), so
 * they cost no counting here and are read even when the budget is exhausted.
 *
 * <p>Rejected: Jetty's limit of the head alone, as it is for each connection and has to be as large
 * as the largest request; and a bounded pool of buffers, as the heads are not kept in buffers.
 */
final class BudgetedHttpFactory extends HttpConnectionFactory {

    /** Bytes of a head that the connection has paid for, a token included. */
    private static final int ORDINARY = 2 * 1024;

    /** Fields that the connection has paid for. */
    private static final int ORDINARY_FIELDS = 24;

    /**
     * Heap for each further byte. Measured 1.1 for an unfinished head and 3 for a watch with its
     * query, of ASCII; twice that of other characters, and more for a moment while a text grows.
     */
    private static final int FACTOR = 6;

    /** Heap for each further field; measured 115 for the smallest possible. */
    private static final int FIELD = 160;

    private final MemoryBudget heads;
    private final ConnectionMeters meters;

    private BudgetedHttpFactory(
            HttpConfiguration http, MemoryBudget heads, ConnectionMeters meters) {
        super(http);
        this.heads = heads;
        this.meters = meters;
    }

    /** Has all connections of a connector that has not been started yet draw from a budget. */
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
        return factory instanceof HttpConnectionFactory http
                        && !(factory instanceof BudgetedHttpFactory)
                ? new BudgetedHttpFactory(http.getHttpConfiguration(), heads, meters)
                : factory;
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint client) {
        HttpConnection connection = new BudgetedConnection(connector, client);
        connection.setTransferEncodingChunkMaxLength(getTransferEncodingChunkMaxLength());
        return configure(connection, connector, client);
    }

    /**
     * A connection with an account of its own.
     *
     * <p>One thread at a time parses, but another may close the connection meanwhile: the account
     * is guarded by the connection's monitor, and nothing is acquired once it has been closed.
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

        /** Makes sure that so much is acquired, and tells whether it is. */
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

        /** Counts the fields of a head, in memory that is acquired before a field is kept. */
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

        /** Acquires memory for what it is about to parse. */
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

    private static long cost(int length, int fields) {
        return (long) FACTOR * Math.max(0, length - ORDINARY)
                + (long) FIELD * Math.max(0, fields - ORDINARY_FIELDS);
    }

    private HttpException.RuntimeException refusal() {
        meters.refused(ConnectionMeters.Reason.MEMORY);
        return new HttpException.RuntimeException(HttpStatus.TOO_MANY_REQUESTS_429);
    }
}
