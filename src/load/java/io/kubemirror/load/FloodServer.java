package io.kubemirror.load;

import module java.base;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * An API server that has only config maps and changes them at a rate that no real one reaches here.
 */
final class FloodServer implements AutoCloseable {

    private static final int OBJECTS = 1_000;
    private static final String PADDING = "x".repeat(700);
    private static final int BEGINNING = 1_000_000;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final int perSecond;
    private final int events;
    private volatile long sent;
    private volatile long finished;

    /** A server that will send so many events. */
    FloodServer(int perSecond, Duration time) {
        this.perSecond = perSecond;
        this.events = (int) (perSecond * time.toSeconds());
        try {
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** The revision of the last event. */
    int last() {
        return BEGINNING + events;
    }

    /** The bytes of all events, once the last was sent. */
    long sent() {
        return sent;
    }

    /** When the last event was sent, 0 before that. */
    long finished() {
        return finished;
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        if (path.equals("/api")) {
            send(exchange, DISCOVERY.formatted(TYPES));
        } else if (path.equals("/apis")) {
            send(exchange, DISCOVERY.formatted(""));
        } else if (path.equals("/api/v1/configmaps") && query.contains("watch=")) {
            if (query.contains("sendInitialEvents")) {
                exchange.sendResponseHeaders(422, -1);
                exchange.close();
            } else {
                flood(exchange);
            }
        } else if (path.equals("/api/v1/configmaps")) {
            send(exchange, list());
        } else {
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
        }
    }

    private static final String DISCOVERY =
            """
            {"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},\
            "items":[%s]}\
            """;

    private static final String TYPES =
            """
            {"metadata":{},"versions":[{"version":"v1","freshness":"Current","resources":[\
            {"resource":"configmaps","responseKind":{"group":"","version":"v1",\
            "kind":"ConfigMap"},"scope":"Namespaced","singularResource":"configmap",\
            "verbs":["get","list","watch"]}]}]}\
            """;

    private static void send(HttpExchange exchange, String json) throws IOException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    private static String list() {
        StringBuilder items = new StringBuilder();
        for (int i = 0; i < OBJECTS; i++) {
            items.append(i == 0 ? "" : ",").append(object(i, i + 1));
        }
        return "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\""
                + BEGINNING
                + "\"},\"items\":["
                + items
                + "]}";
    }

    private static String object(int name, int revision) {
        return "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n%d\",\"namespace\":\"a\",\"uid\":\"u%d\",\"resourceVersion\":\"%d\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},\"data\":{\"number\":\"%d\",\"padding\":\"%s\"}}"
                .formatted(name, name, revision, revision, PADDING);
    }

    private void flood(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            int portion = Math.max(1, perSecond / 100);
            long start = System.nanoTime();
            long bytes = 0;
            for (int i = 0; i < events; i += portion) {
                Pacer.until(start + i * 1_000_000_000L / perSecond);
                for (int j = i; j < i + portion; j++) {
                    byte[] event = event(j + 1);
                    out.write(event);
                    bytes += event.length;
                }
                out.flush();
            }
            sent = bytes;
            finished = System.nanoTime();
            Pacer.of(Duration.ofMinutes(5));
        }
    }

    private static byte[] event(int number) {
        return ("{\"type\":\"MODIFIED\",\"object\":"
                        + object(number % OBJECTS, BEGINNING + number)
                        + "}\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
