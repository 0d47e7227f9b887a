package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.RawClient;
import io.kubemirror.api.WatchClient;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionMeters;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionProperties;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.testing.WaitLimit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the limits on connections and on the time for a request to arrive. */
@Timeout(45) // below Jetty's idle timeout, which would close everything too
class ConnectionLimiterTest {

    private static final String LIST = "/api/v1/pods";
    private static final String WATCH = LIST + "?watch=1&resourceVersion=110";
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(100);

    /** Enough for a request that is sent at once, also on a busy machine. */
    private static final Duration ENOUGH = Duration.ofSeconds(5);

    private static ApiFixture limited(int total, int perClient, Duration requestTimeout) {
        return ApiFixture.golden(
                Map.of("limits", new ConnectionProperties(total, perClient, 100, requestTimeout)));
    }

    @Test
    void connection_beyond_the_limit_gets_429_and_is_closed() {
        try (ApiFixture served = limited(1, 0, LONG);
                WatchClient watch = served.client().watch(WATCH);
                RawClient second = RawClient.to(served.port()).ask(LIST)) {
            assertThat(second.untilClosed())
                    .startsWith("HTTP/1.1 429 Too Many Requests\r\n")
                    .contains("\r\nRetry-After: 1\r\n")
                    .contains("\r\nConnection: close\r\n")
                    .contains("\r\nCache-Control: no-cache, private\r\n")
                    .contains("\r\nContent-Type: application/json\r\n")
                    .endsWith(
                            """
                            {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",\
                            "message":"kubemirror has as many connections as\
                             kubemirror.connections.max allows, please try again later",\
                            "reason":"TooManyRequests","details":{"retryAfterSeconds":1},\
                            "code":429}
                            """);
            assertThat(served.count("kubemirror.connections.refused", "total")).isEqualTo(1);
            served.writer().upsert(ApiSamples.object("a", "x", 111));
            watch.expectRevision(111);
        }
    }

    /** A channel that has no client at all. */
    @Test
    void connection_of_a_client_that_cannot_be_identified_is_closed() throws IOException {
        ConnectionLimiter limiter =
                new ConnectionLimiter(
                        ApiFixture.CONNECTIONS,
                        ClientMemory.of(MemoryBudget.unlimited()),
                        new ConnectionMeters(),
                        System::nanoTime);
        try (SocketChannel unknown = SocketChannel.open()) {
            limiter.onAccepting(unknown);

            assertThat(unknown.isOpen()).isFalse();
        }
    }

    @Test
    void connections_beyond_the_limit_take_no_place_within_it() {
        try (ApiFixture served = limited(2, 0, LONG);
                RawClient first = RawClient.to(served.port()).ask(LIST)) {
            assertThat(first.line()).isEqualTo("HTTP/1.1 200 OK");
            List<RawClient> refused;
            try (RawClient second = RawClient.to(served.port()).ask(LIST)) {
                assertThat(second.line()).isEqualTo("HTTP/1.1 200 OK");
                refused = silent(5, served);
            }
            await(served, 6);
            try (RawClient third = RawClient.to(served.port()).ask(LIST)) {
                assertThat(third.line()).isEqualTo("HTTP/1.1 200 OK");
            }
            refused.forEach(RawClient::close);
        }
    }

    @Test
    void health_is_served_beyond_the_limit() {
        try (ApiFixture served = limited(1, 0, LONG);
                RawClient first = RawClient.to(served.port());
                RawClient second = RawClient.to(served.port()).ask("/livez")) {
            assertThat(second.untilClosed())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("\r\nConnection: close\r\n")
                    .endsWith("\r\n\r\nok");
            assertThat(first.ask(LIST).line()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    @Test
    void connection_waits_while_too_many_refused_connections_are_open() {
        try (ApiFixture served = limited(1, 0, LONG)) {
            List<RawClient> silent = silent(1 + ConnectionLimiter.SPARE, served);
            try (RawClient next = RawClient.to(served.port()).ask(LIST)) {
                assertThat(served.gauge("kubemirror.connections.open"))
                        .isEqualTo(1 + ConnectionLimiter.SPARE);
                silent.getLast().close();
                assertThat(next.line()).isEqualTo("HTTP/1.1 429 Too Many Requests");
            }
            silent.forEach(RawClient::close);
        }
    }

    @Test
    void client_beyond_its_own_limit_gets_429_and_others_are_served() {
        try (ApiFixture served = limited(0, 2, LONG);
                RawClient first = RawClient.to(served.port()).ask(LIST);
                RawClient second = RawClient.to(served.port()).ask(LIST)) {
            assertThat(first.line()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(second.line()).isEqualTo("HTTP/1.1 200 OK");
            try (RawClient third = RawClient.to(served.port()).ask(LIST);
                    RawClient other = RawClient.from("127.0.0.2", served.port()).ask(LIST)) {
                assertThat(third.untilClosed())
                        .startsWith("HTTP/1.1 429 Too Many Requests\r\n")
                        .contains("\r\nRetry-After: 1\r\n")
                        .contains("your address has as many connections as")
                        .contains("kubemirror.connections.max-per-client allows");
                assertThat(other.line()).isEqualTo("HTTP/1.1 200 OK");
            }
            assertThat(served.count("kubemirror.connections.refused", "client")).isEqualTo(1);
        }
    }

    @Test
    void client_far_beyond_its_own_limit_is_closed_without_a_response() {
        try (ApiFixture served = limited(0, 1, LONG)) {
            List<RawClient> silent = silent(1 + ConnectionLimiter.SPARE_PER_CLIENT, served);
            try (RawClient next = RawClient.to(served.port());
                    RawClient other = RawClient.from("127.0.0.2", served.port()).ask(LIST)) {
                assertThat(next.untilClosed()).isEmpty();
                assertThat(other.line()).isEqualTo("HTTP/1.1 200 OK");
            }
            silent.forEach(RawClient::close);
            awaitNone(served);
            try (RawClient again = RawClient.to(served.port()).ask(LIST)) {
                assertThat(again.line()).isEqualTo("HTTP/1.1 200 OK");
            }
        }
    }

    @Test
    void without_limits_every_connection_is_accepted() {
        try (ApiFixture served = limited(0, 0, LONG)) {
            List<RawClient> many = silent(2 * ConnectionLimiter.SPARE, served);
            assertThat(many).allMatch(each -> each.ask(LIST).line().endsWith("200 OK"));
            many.forEach(RawClient::close);
        }
    }

    @Test
    void connection_without_a_request_is_closed() {
        try (ApiFixture served = limited(0, 0, SHORT);
                RawClient silent = RawClient.to(served.port())) {
            assertThat(silent.untilClosed()).isEmpty();
            assertThat(served.count("kubemirror.connections.refused", "late")).isEqualTo(1);
        }
    }

    @Test
    void unfinished_further_request_is_closed() {
        try (ApiFixture served = limited(0, 0, ENOUGH);
                RawClient slow = RawClient.to(served.port()).ask("/livez")) {
            assertThat(slow.line()).isEqualTo("HTTP/1.1 200 OK");
            while (!slow.line().isEmpty()) {
                // The headers.
            }
            slow.send("GET / HTTP/1.1\r\nHost: te");
            assertThat(slow.untilClosed()).isEqualTo("ok");
            assertThat(served.count("kubemirror.connections.refused", "late")).isEqualTo(1);
        }
    }

    @Test
    void watch_outlasts_the_request_timeout() {
        try (ApiFixture served = limited(0, 0, ENOUGH);
                WatchClient watch = served.client().watch(WATCH);
                RawClient silent = RawClient.to(served.port())) {
            // Began after the watch, which would have been closed before it.
            assertThat(silent.untilClosed()).isEmpty();
            served.writer().upsert(ApiSamples.object("a", "x", 111));
            watch.expectRevision(111);
        }
    }

    @Test
    void server_does_not_wait_for_a_request_body() {
        try (ApiFixture served = limited(0, 0, LONG);
                RawClient post =
                        RawClient.to(served.port())
                                .send(
                                        "POST /api/v1/namespaces/a/pods HTTP/1.1\r\nHost: [::1]\r\n"
                                                + "Content-Length: 1000\r\n\r\nthe beginn");
                RawClient get =
                        RawClient.to(served.port())
                                .send(
                                        "GET "
                                                + LIST
                                                + " HTTP/1.1\r\nHost: [::1]\r\n"
                                                + "Content-Length: 1000\r\n\r\nthe beginn")) {
            assertThat(post.untilClosed()).startsWith("HTTP/1.1 405 ");
            assertThat(get.untilClosed()).startsWith("HTTP/1.1 200 ");
        }
    }

    private static List<RawClient> silent(int count, ApiFixture served) {
        double before = served.gauge("kubemirror.connections.open");
        List<RawClient> rawClients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rawClients.add(RawClient.to(served.port()));
        }
        await(served, before + count);
        return rawClients;
    }

    private static void awaitNone(ApiFixture served) {
        await(served, 0);
    }

    private static void await(ApiFixture served, double open) {
        WaitLimit.until(() -> served.gauge("kubemirror.connections.open") == open);
    }
}
