package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.Status;

import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;

/**
 * Customizes Jetty. Paths that Jetty would refuse are accepted, so that they can be answered as the
 * API server answers them (list-watch.md#pa-16b, #pa-19, #pa-19a). kubemirror parses the path as it
 * was sent and never resolves it, so its ambiguities cannot be exploited.
 *
 * @param connections tracks the connections that the server accepts
 */
public record JettySettings(ConnectionLimiter connections)
        implements WebServerFactoryCustomizer<JettyServletWebServerFactory> {

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

    private static final String UNSUPPORTED_ENCODING = "Unsupported transfer encoding";

    /** How messages of Jetty's parser about encodings begin. */
    private static final String BAD_ENCODING = "Bad Transfer-Encoding";

    /**
     * The maximum size of the accept queue. After a restart all clients connect at once, and a
     * client that finds the queue full retries only a second later. The operating system has a
     * limit of its own, net.core.somaxconn, which is usually 4,096.
     */
    public static final int ACCEPT_QUEUE = 16_384;

    @Override
    public void customize(JettyServletWebServerFactory factory) {
        factory.addServerCustomizers(JettySettings::customize, connections::keep);
    }

    private static void customize(Server server) {
        for (Connector connector : server.getConnectors()) {
            if (connector instanceof ServerConnector listening) {
                listening.setAcceptQueueSize(ACCEPT_QUEUE);
            }
        }
        server.getContainedBeans(HttpConnectionFactory.class)
                .forEach(factory -> customize(factory.getHttpConfiguration()));
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

    private static void customize(HttpConfiguration http) {
        http.setUriCompliance(LENIENT);
        // Otherwise a header keeps the case that it had in an earlier request of the connection.
        http.setHeaderCacheCaseSensitive(true);
        http.addCustomizer((request, _) -> checked(request));
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
            if (message != null && message.startsWith(BAD_ENCODING)) {
                // Jetty's parser takes what it does not support for a mistake.
                int unsupported = HttpStatus.NOT_IMPLEMENTED_501;
                response.setStatus(unsupported);
                generateResponse(
                        request, response, unsupported, UNSUPPORTED_ENCODING, cause, callback);
                return;
            }
            response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-cache, private");
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
            switch (code) {
                case HttpStatus.TOO_MANY_REQUESTS_429 ->
                        send(StatusErrors.outOfMemory(), response, callback);
                case HttpStatus.URI_TOO_LONG_414, HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431 ->
                        send(
                                StatusErrors.tooLargeHeader(
                                        code,
                                        request.getConnectionMetaData()
                                                .getHttpConfiguration()
                                                .getRequestHeaderSize()),
                                response,
                                callback);
                case HttpStatus.NOT_IMPLEMENTED_501 -> send(message, response, callback);
                default -> send(code + " " + HttpStatus.getMessage(code), response, callback);
            }
        }

        private static void send(String text, Response response, Callback callback) {
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain; charset=utf-8");
            Content.Sink.write(response, true, text, callback);
        }

        private static void send(Status status, Response response, Callback callback) {
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
            if (status.retryAfterSeconds() > 0) {
                response.getHeaders().put(HttpHeader.RETRY_AFTER, status.retryAfterSeconds());
            }
            response.write(true, ByteBuffer.wrap(GoJson.statusLine(status)), callback);
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

        private static final Logger log = LoggerFactory.getLogger(JettySettings.class);

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
