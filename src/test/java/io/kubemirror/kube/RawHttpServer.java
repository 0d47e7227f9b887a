package io.kubemirror.kube;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** An HTTP server with scripted responses that records requests. */
final class RawHttpServer implements AutoCloseable {

    /** What was asked, in the order of arrival. */
    final BlockingQueue<HttpExchange> requests = new LinkedBlockingQueue<>();

    private final CountDownLatch closing = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;
    private final String scheme;

    private RawHttpServer(HttpServer server, String scheme, HttpHandler handler) {
        this.server = server;
        this.scheme = scheme;
        server.setExecutor(threads);
        server.createContext(
                "/",
                exchange -> {
                    requests.add(exchange);
                    try (exchange) {
                        handler.handle(exchange);
                    }
                });
        server.start();
    }

    static RawHttpServer answering(HttpHandler handler) throws IOException {
        return new RawHttpServer(HttpServer.create(loopback(), 0), "http", handler);
    }

    /** A server with TLS that asks for client certificates where it can check them. */
    static RawHttpServer answeringByTls(SSLContext tls, HttpHandler handler) throws IOException {
        HttpsServer server = HttpsServer.create(loopback(), 0);
        server.setHttpsConfigurator(
                new HttpsConfigurator(tls) {
                    @Override
                    public void configure(HttpsParameters parameters) {
                        SSLParameters asking = tls.getDefaultSSLParameters();
                        asking.setWantClientAuth(true);
                        parameters.setSSLParameters(asking);
                    }
                });
        return new RawHttpServer(server, "https", handler);
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    int port() {
        return server.getAddress().getPort();
    }

    String url() {
        return scheme + "://127.0.0.1:" + port();
    }

    /** Waits until the test ends. */
    void hang() {
        try {
            closing.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for some time, or until the test ends, and returns whether it has ended. */
    boolean isClosedWithin(Duration time) {
        try {
            return closing.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    static void send(HttpExchange exchange, int code, String body) throws IOException {
        byte[] bytes = UpstreamSamples.utf8(body);
        exchange.sendResponseHeaders(code, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** Begins an answer of unknown length; what is written to it must be flushed. */
    static OutputStream stream(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(UpstreamSamples.utf8(text));
        }
        return bytes.toByteArray();
    }

    @Override
    public void close() {
        closing.countDown();
        threads.shutdownNow();
        server.stop(0);
    }
}
