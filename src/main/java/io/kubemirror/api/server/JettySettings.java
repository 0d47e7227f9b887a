package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.model.MemoryBudget;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.util.Assert;

/**
 * Customizes Jetty. Paths that Jetty would refuse are accepted, so that they can be answered as the
 * API server answers them (list-watch.md#pa-16a, #pa-19). kubemirror parses the path as it was sent
 * and never resolves it, so its ambiguities cannot be exploited.
 *
 * <p>The number of connections is limited. Beyond it, Jetty accepts none until others end.
 *
 * <p>HTTP/2, where {@code server.http2.enabled} is set, has Jetty's limits of streams and frames. A
 * client may send no more than the smallest window before it is read. WebSockets over HTTP/2 (RFC
 * 8441) are not announced, so browsers open a connection of HTTP/1.1 for each.
 */
public final class JettySettings
        implements WebServerFactoryCustomizer<JettyServletWebServerFactory>, MeterBinder {

    private static final Logger log = LoggerFactory.getLogger(JettySettings.class);

    private static final UriCompliance LENIENT =
            UriCompliance.DEFAULT.with(
                    "LENIENT",
                    Violation.AMBIGUOUS_PATH_SEGMENT,
                    Violation.AMBIGUOUS_EMPTY_SEGMENT,
                    Violation.AMBIGUOUS_PATH_SEPARATOR,
                    Violation.AMBIGUOUS_PATH_PARAMETER,
                    Violation.AMBIGUOUS_PATH_ENCODING,
                    Violation.BAD_UTF8_ENCODING,
                    Violation.TRUNCATED_UTF8_ENCODING,
                    Violation.SUSPICIOUS_PATH_CHARACTERS,
                    Violation.ILLEGAL_PATH_CHARACTERS);

    /**
     * The maximum size of the head of a response, in bytes: what is read of the API server when its
     * answer is passed on, and what is added to it.
     */
    private static final int MAX_RESPONSE_HEAD = 512 * 1024;

    private static final String UNSUPPORTED_ENCODING = "Unsupported transfer encoding";

    /**
     * The maximum size of the accept queue. After a restart all clients connect at once, and a
     * client that finds the queue full retries only a second later. The operating system has a
     * limit of its own, net.core.somaxconn, which is usually 4,096.
     */
    private static final int ACCEPT_QUEUE = 16_384;

    /** Of so many requests of a connection, its thread parks before one. */
    private static final int UNTIL_PARKED = 16;

    /** The window that no connection can be without (RFC 9113, 6.9.2), in bytes. */
    private static final int WINDOW = 64 * 1024 - 1;

    private final int maxConnections;

    private final ClientMemory memory;

    /** Counts the connections of the server, set before it starts. */
    private volatile @Nullable NetworkConnectionLimit limit;

    /**
     * Limits for client connections. Beyond them, others wait until one ends.
     *
     * @param max Maximum number of connections of all clients. A small heap allows fewer.
     */
    public record ConnectionProperties(@DefaultValue("15000") int max) {

        /** Refuses a limit without connections. */
        public ConnectionProperties {
            Assert.isTrue(max > 0, "kubemirror.connections.max is not positive");
        }
    }

    /**
     * Creates the settings.
     *
     * @param connections the configured limit
     * @param memory what connections are charged to
     */
    public JettySettings(ConnectionProperties connections, ClientMemory memory) {
        this.maxConnections = Math.min(connections.max(), memory.maxConnections());
        this.memory = memory;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("kubemirror.connections.open", this, JettySettings::connections)
                .description("Open client connections")
                .register(registry);
    }

    private int connections() {
        NetworkConnectionLimit present = limit;
        return present == null ? 0 : present.getNetworkConnectionCount();
    }

    @Override
    public void customize(JettyServletWebServerFactory factory) {
        factory.addServerCustomizers(JettySettings::customize, this::limit);
    }

    private void limit(Server server) {
        NetworkConnectionLimit created =
                new NetworkConnectionLimit(maxConnections, server.getConnectors());
        server.addBean(created);
        limit = created;
        for (Connector connector : server.getConnectors()) {
            connector.addBean(new ConnectionCharges(memory.all()));
        }
    }

    /** What connections take is not there for answers. Their number is limited elsewhere. */
    private record ConnectionCharges(MemoryBudget budget) implements Connection.Listener {

        @Override
        public void onOpened(Connection connection) {
            budget.acquire(ClientMemory.CONNECTION);
        }

        @Override
        public void onClosed(Connection connection) {
            budget.release(ClientMemory.CONNECTION);
        }
    }

    private static void customize(Server server) {
        useVirtualThreads(server, "request-");
        for (Connector connector : server.getConnectors()) {
            if (connector instanceof ServerConnector listening) {
                listening.setAcceptQueueSize(ACCEPT_QUEUE);
            }
        }
        server.getContainedBeans(HttpConnectionFactory.class)
                .forEach(factory -> customize(factory.getHttpConfiguration()));
        server.getContainedBeans(AbstractHTTP2ServerConnectionFactory.class)
                .forEach(JettySettings::customize);
        server.getDescendants(ServletContextHandler.class)
                .forEach(
                        context -> {
                            context.getServletHandler().setDecodeAmbiguousURIs(true);
                            // Otherwise a request without a path would be redirected to an invalid
                            // location.
                            context.setAllowNullPathInContext(true);
                        });
        server.setErrorHandler(new PlainErrors());
    }

    /**
     * Answers each request on a virtual thread, where it may wait, and which gives way to others.
     * Connections are accepted and selected on platform threads.
     *
     * <p>Rejected: {@code spring.threads.virtual.enabled}, which runs selectors on virtual threads,
     * too: each request would wake one more thread.
     */
    static void useVirtualThreads(Server server, String name) {
        if (server.getThreadPool() instanceof VirtualThreads.Configurable threads) {
            threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor(name));
        }
        server.getContainedBeans(HttpConnectionFactory.class)
                .forEach(
                        factory ->
                                factory.getHttpConfiguration()
                                        .addCustomizer((request, _) -> givenWay(request)));
    }

    private static Request givenWay(Request request) {
        giveWay(request.getConnectionMetaData().getConnection().getMessagesIn());
        return request;
    }

    /**
     * Gives way to the requests of other connections. Jetty answers pipelined requests on one
     * virtual thread, which would keep its carrier until the client's socket buffer is full.
     *
     * <p>Rejected: {@link Thread#yield}, because a carrier prefers threads that have yielded on it
     * to new ones. A thread that parks returns behind them.
     *
     * @param requests the number of requests that the connection has received
     */
    static void giveWay(long requests) {
        if (requests % UNTIL_PARKED == 0) {
            LockSupport.parkNanos(1);
        }
    }

    private static void customize(HttpConfiguration http) {
        http.setUriCompliance(LENIENT);
        http.setMaxResponseHeaderSize(MAX_RESPONSE_HEAD);
        // Otherwise a header keeps the case that it had in an earlier request of the connection.
        http.setHeaderCacheCaseSensitive(true);
        http.addCustomizer((request, _) -> checked(request));
        // The API server answers whatever the name, as clients ask for that verify another one.
        SecureRequestCustomizer tls = http.getCustomizer(SecureRequestCustomizer.class);
        if (tls != null) {
            tls.setSniHostCheck(false);
        }
    }

    private static void customize(AbstractHTTP2ServerConnectionFactory http2) {
        http2.setInitialSessionRecvWindow(WINDOW);
        http2.setInitialStreamRecvWindow(WINDOW);
        http2.setConnectProtocolEnabled(false);
    }

    /** Refuses what Go's server does. Jetty would take the encoded content for the content. */
    private static Request checked(Request request) {
        String encoding = request.getHeaders().get(HttpHeader.TRANSFER_ENCODING);
        if (encoding != null && !encoding.equalsIgnoreCase("chunked")) {
            throw new HttpException.RuntimeException(
                    HttpStatus.NOT_IMPLEMENTED_501, UNSUPPORTED_ENCODING);
        }
        return request;
    }

    /** Responses to requests that could not be parsed (list-watch.md#pa-19c) or are too large. */
    static final class PlainErrors extends ErrorHandler {

        @Override
        public boolean errorPageForMethod(String method) {
            return true;
        }

        @Override
        protected void generateResponse(
                Request request,
                Response response,
                int code,
                String message,
                Throwable cause,
                Callback callback) {
            response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-cache, private");
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
            boolean named = code == HttpStatus.NOT_IMPLEMENTED_501;
            String text = named ? message : code + " " + HttpStatus.getMessage(code);
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain; charset=utf-8");
            Content.Sink.write(response, true, text, callback);
        }
    }

    /**
     * Applies a new server certificate and new client authorities when Spring reloads an SSL bundle
     * ({@code reload-on-update}). Open connections are not affected.
     *
     * <p>Boot does this for Tomcat and Netty, but not for Jetty.
     */
    public record CertificateRotation(SslBundles bundles)
            implements WebServerFactoryCustomizer<JettyServletWebServerFactory> {

        @Override
        public void customize(JettyServletWebServerFactory factory) {
            Ssl ssl = factory.getSsl();
            String name = Ssl.isEnabled(ssl) && ssl != null ? ssl.getBundle() : null;
            if (name != null) {
                factory.addServerCustomizers(
                        server ->
                                bundles.addBundleUpdateHandler(
                                        name, bundle -> renew(server, name, bundle)));
            }
        }

        private static void renew(Server server, String name, SslBundle bundle) {
            try {
                for (Connector connector : server.getConnectors()) {
                    SslConnectionFactory tls =
                            connector.getConnectionFactory(SslConnectionFactory.class);
                    if (tls != null) {
                        tls.getSslContextFactory()
                                .reload(context -> fill(context, bundle.getStores()));
                    }
                }
                log.info("Reloaded the certificate of {}; new connections use it", name);
            } catch (Exception unusable) {
                log.warn("Cannot reload the certificate of {}: {}", name, unusable.toString());
            }
        }

        private static void fill(SslContextFactory context, SslStoreBundle stores) {
            context.setKeyStorePassword(stores.getKeyStorePassword());
            context.setKeyStore(stores.getKeyStore());
            context.setTrustStore(stores.getTrustStore());
        }
    }
}
