package io.kubemirror.clients;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.kubemirror.testing.Unchecked;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/**
 * Serves a page and, from the same origin, the responses of kubemirror, and receives what the page
 * reports.
 */
final class PageServer implements AutoCloseable {

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final HttpServer server;
    private final Path file;
    private final URI kubemirror;
    private final Consumer<String> listener;

    /**
     * Starts the server.
     *
     * @param file the page
     * @param kubemirror the address of kubemirror
     * @param listener receives what the page reports
     */
    PageServer(Path file, URI kubemirror, Consumer<String> listener) {
        this.file = file;
        this.kubemirror = kubemirror;
        this.listener = listener;
        server =
                Unchecked.call(
                        () ->
                                HttpServer.create(
                                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                        0));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/page", this::show);
        server.createContext("/tell", this::take);
        server.createContext("/api", this::relay);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void show(HttpExchange exchange) throws IOException {
        byte[] page = Files.readAllBytes(file);
        exchange.getResponseHeaders().set("Content-Type", "text/html");
        exchange.sendResponseHeaders(200, page.length);
        exchange.getResponseBody().write(page);
        exchange.close();
    }

    private void take(HttpExchange exchange) throws IOException {
        listener.accept(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
        exchange.sendResponseHeaders(204, -1);
        exchange.close();
    }

    /** If kubemirror is stopped, the connection is closed without an answer. */
    private void relay(HttpExchange exchange) throws IOException {
        try (exchange) {
            HttpResponse<InputStream> answer =
                    client.send(request(exchange), BodyHandlers.ofInputStream());
            answer.headers()
                    .firstValue("Content-Type")
                    .ifPresent(type -> exchange.getResponseHeaders().set("Content-Type", type));
            exchange.sendResponseHeaders(answer.statusCode(), 0);
            copy(answer.body(), exchange.getResponseBody());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpRequest request(HttpExchange exchange) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(kubemirror.resolve(exchange.getRequestURI()));
        for (String name : List.of("Accept", "Last-Event-ID")) {
            String value = exchange.getRequestHeaders().getFirst(name);
            if (value != null) {
                request.header(name, value);
            }
        }
        return request.build();
    }

    private static void copy(InputStream in, OutputStream out) throws IOException {
        byte[] bytes = new byte[8192];
        for (int size = in.read(bytes); size >= 0; size = in.read(bytes)) {
            out.write(bytes, 0, size);
            out.flush();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        client.shutdownNow();
    }
}
