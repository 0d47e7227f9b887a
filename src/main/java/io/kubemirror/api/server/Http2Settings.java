package io.kubemirror.api.server;

import io.kubemirror.api.http.ClientMemory;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.io.WindowRateControl;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * The settings of HTTP/2, negotiated by TLS or with prior knowledge.
 *
 * <p>The upgrade of a request of HTTP/1.1 ({@code Upgrade: h2c}) is not supported: clients have
 * given it up (RFC 9113, 3.1), and it would let a request change the protocol behind a proxy that
 * does not know it. WebSockets over HTTP/2 (RFC 8441) are not announced, so browsers open a
 * connection of HTTP/1.1 for each.
 */
final class Http2Settings {

    /** The maximum number of streams of a connection, Go's default and thus the API server's. */
    static final int STREAMS = 250;

    /**
     * The maximum number of frames without data in a second. A client that ends all its watches at
     * once resets as many streams.
     */
    static final int FRAMES = 2 * STREAMS;

    private Http2Settings() {}

    /** Applies the settings to a connector that has not been started. */
    static void customize(Connector connector) {
        if (connector instanceof AbstractConnector changed) {
            changed.setConnectionFactories(
                    changed.getConnectionFactories().stream()
                            .map(Http2Settings::customized)
                            .toList());
        }
    }

    private static ConnectionFactory customized(ConnectionFactory factory) {
        ConnectionFactory result =
                factory instanceof HTTP2CServerConnectionFactory plain
                        ? new PriorKnowledge(plain.getHttpConfiguration())
                        : factory;
        if (result instanceof AbstractHTTP2ServerConnectionFactory http) {
            http.setMaxConcurrentStreams(STREAMS);
            http.setInitialSessionRecvWindow(ClientMemory.HTTP2_WINDOW);
            http.setInitialStreamRecvWindow(ClientMemory.HTTP2_WINDOW);
            http.setConnectProtocolEnabled(false);
            http.setRateControlFactory(
                    new RateControl.Factory() {
                        @Override
                        public RateControl newRateControl(EndPoint client) {
                            return new FrameLimit(client);
                        }
                    });
        }
        return result;
    }

    /** Begins HTTP/2 with its preface only. */
    private static final class PriorKnowledge extends HTTP2CServerConnectionFactory {

        PriorKnowledge(HttpConfiguration http) {
            super(http);
        }

        @Override
        public @Nullable Connection upgradeConnection(
                Connector connector,
                EndPoint client,
                MetaData.Request request,
                HttpFields.Mutable response) {
            return HttpMethod.PRI.is(request.getMethod())
                    ? super.upgradeConnection(connector, client, request, response)
                    : null;
        }
    }

    /** Whether a write waits until the client reads. */
    static boolean isWriting(EndPoint client) {
        return client instanceof AbstractEndPoint point && point.getWriteFlusher().isPending();
    }

    /**
     * Limits the frames that carry no data, but cause work: to a number in a second, and to the
     * same number while a write waits for the client. Jetty ends the connection with
     * ENHANCE_YOUR_CALM; one that does not read is closed, because it would not read that either.
     */
    private static final class FrameLimit implements RateControl {

        private final EndPoint client;
        private final RateControl second = new WindowRateControl(FRAMES, Duration.ofSeconds(1));

        /** What has been written when a frame was counted last. Guarded by this, as the count. */
        private long written;

        private int unread;

        FrameLimit(EndPoint client) {
            this.client = client;
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
            return ++unread > FRAMES;
        }
    }
}
