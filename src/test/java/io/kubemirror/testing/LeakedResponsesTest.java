package io.kubemirror.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import module java.base;

import com.sun.net.httpserver.HttpServer;

import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class LeakedResponsesTest {

    @Test
    void response_that_nobody_closes_fails_with_the_stack_of_its_request() throws Exception {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    exchange.sendResponseHeaders(200, 0);
                    exchange.getResponseBody().flush();
                });
        server.start();
        OkHttpClient client = new OkHttpClient();
        try {
            forget(client, server);
            List<Throwable> found = new ArrayList<>();
            Awaitility.await()
                    .until(
                            () -> {
                                System.gc();
                                // OkHttp looks for leaks when it opens a connection.
                                cancel(client, server);
                                found.add(catchThrowable(LeakedResponses::failIfAny));
                                return found.getLast() != null;
                            });

            assertThat(found.getLast()).hasMessageContaining("was leaked");
            assertThat(found.getLast().getSuppressed())
                    .flatExtracting(leak -> List.of(leak.getStackTrace()))
                    .anyMatch(frame -> frame.getMethodName().equals("forget"));
        } finally {
            server.stop(0);
        }
    }

    private static void forget(OkHttpClient client, HttpServer server) throws IOException {
        var _ = call(client, server).execute();
    }

    private static void cancel(OkHttpClient client, HttpServer server) throws IOException {
        Call call = call(client, server);
        try (Response _ = call.execute()) {
            call.cancel();
        }
    }

    private static Call call(OkHttpClient client, HttpServer server) {
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        return client.newCall(new Request.Builder().url(url).build());
    }
}
