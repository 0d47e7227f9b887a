package io.kubemirror.kube;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;

import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** A server with scripted responses, and clients of it. */
abstract class RawServerHarness {

    /** The server that answers, null until {@link #answer}. */
    @Nullable RawHttpServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    void answer(HttpHandler handler) throws IOException {
        server = RawHttpServer.answering(handler);
    }

    void answer(int code, String body) throws IOException {
        answer(exchange -> RawHttpServer.send(exchange, code, body));
    }

    RawHttpServer server() {
        return Objects.requireNonNull(server);
    }

    /** Takes the oldest request. */
    HttpExchange request() throws InterruptedException {
        return Objects.requireNonNull(server().requests.poll(1, TimeUnit.MINUTES));
    }

    KubeClient client(ClientSettings settings) {
        return client(server().url(), settings);
    }

    static KubeClient client(String url, ClientSettings settings) {
        ProcessEnvironment nowhere =
                new ProcessEnvironment(Map.of(), Path.of("nowhere"), Path.of("nowhere"));
        return KubeClient.connect(new UpstreamSettings(url, null, null), nowhere, settings);
    }
}
