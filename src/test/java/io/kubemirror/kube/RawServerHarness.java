package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;

import io.kubemirror.model.Revision;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** An HTTP server with scripted responses that records requests, and clients of it. */
abstract class RawServerHarness {

    static final String EMPTY_LIST =
            "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}";
    static final Result<ListMeta> EMPTY_PAGE = Result.of(new ListMeta(new Revision("9"), null));

    /** What was asked and not yet taken, in the order of arrival. */
    final BlockingQueue<HttpExchange> requests = new LinkedBlockingQueue<>();

    private final CountDownLatch ending = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /** The server that answers, null until {@link #answer}. */
    private @Nullable HttpServer server;

    @AfterEach
    void stop() {
        ending.countDown();
        threads.shutdownNow();
        if (server != null) {
            server.stop(0);
        }
    }

    /** Starts a server, which replaces the one before. */
    void answer(HttpHandler handler) throws IOException {
        start(HttpServer.create(loopback(), 0), handler);
    }

    void answer(int code, String body) throws IOException {
        answer(exchange -> send(exchange, code, body));
    }

    void answer(int code, String body, String header, String value) throws IOException {
        answer(
                exchange -> {
                    exchange.getResponseHeaders().add(header, value);
                    send(exchange, code, body);
                });
    }

    /** Starts a server with TLS that asks for a certificate of the client. */
    void answerByTls(SSLContext tls, HttpHandler handler) throws IOException {
        HttpsServer https = HttpsServer.create(loopback(), 0);
        https.setHttpsConfigurator(
                new HttpsConfigurator(tls) {
                    @Override
                    public void configure(HttpsParameters parameters) {
                        SSLParameters asking = tls.getDefaultSSLParameters();
                        asking.setWantClientAuth(true);
                        parameters.setSSLParameters(asking);
                    }
                });
        start(https, handler);
    }

    private void start(HttpServer started, HttpHandler handler) {
        if (server != null) {
            server.stop(0);
        }
        server = started;
        started.setExecutor(threads);
        started.createContext(
                "/",
                exchange -> {
                    requests.add(exchange);
                    try (exchange) {
                        handler.handle(exchange);
                    }
                });
        started.start();
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    int port() {
        return Objects.requireNonNull(server).getAddress().getPort();
    }

    String url() {
        return (server instanceof HttpsServer ? "https" : "http") + "://127.0.0.1:" + port();
    }

    /** Takes the oldest request. */
    HttpExchange request() throws InterruptedException {
        return Objects.requireNonNull(requests.poll(1, TimeUnit.MINUTES));
    }

    /** Takes the oldest request, and checks its path and query. */
    HttpExchange requestOf(String uri) throws InterruptedException {
        HttpExchange request = request();
        assertThat(request.getRequestURI()).hasToString(uri);
        return request;
    }

    static @Nullable String header(HttpExchange request, String name) {
        return request.getRequestHeaders().getFirst(name);
    }

    /** Waits until the test ends. */
    void hang() {
        try {
            ending.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    static void send(HttpExchange exchange, int code, String body) throws IOException {
        send(exchange, code, UpstreamSamples.utf8(body));
    }

    static void send(HttpExchange exchange, int code, byte[] body) throws IOException {
        exchange.sendResponseHeaders(code, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    /** Begins an answer of unknown length. */
    static OutputStream stream(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    static void write(OutputStream body, String text) throws IOException {
        write(body, UpstreamSamples.utf8(text));
    }

    static void write(OutputStream body, byte[] bytes) throws IOException {
        body.write(bytes);
        body.flush();
    }

    static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(UpstreamSamples.utf8(text));
        }
        return bytes.toByteArray();
    }

    KubeClient client(ClientSettings settings) {
        return UpstreamSamples.client(url(), settings);
    }
}
