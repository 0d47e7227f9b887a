package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** How many connections there may be, and how long a request may take to arrive. */
@Timeout(45) // below Jetty's idle timeout, which would close everything too
class ConnectionsTest {

    private static final String LIST = "/api/v1/pods";
    private static final String WATCH = LIST + "?watch=1&resourceVersion=110";
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(100);

    /** Enough for a request that is sent at once, also on a busy machine. */
    private static final Duration ENOUGH = Duration.ofSeconds(5);

    private static ServedMirrors limited(int total, int perClient, Duration requestTimeout) {
        ServedMirrors served =
                ServedMirrors.of(
                        Map.of("limits", new ConnectionLimits(total, perClient, requestTimeout)),
                        "pods");
        Samples.fillWithGoldenPods(served.writer());
        return served;
    }

    @Test
    void a_connection_beyond_the_limit_is_told_so_and_closed() {
        try (ServedMirrors served = limited(1, 0, LONG);
                WatchClient watch = served.client().watch(WATCH);
                Caller second = Caller.to(served.port()).ask(LIST)) {
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
            served.writer().upsert(Samples.object("a", "x", 111));
            watch.expectRevision(111);
        }
    }

    @Test
    void a_connection_is_welcome_once_another_has_ended() {
        try (ServedMirrors served = limited(1, 0, LONG)) {
            for (int i = 0; i < 3; i++) {
                try (Caller caller = Caller.to(served.port()).ask(LIST)) {
                    assertThat(caller.line()).isEqualTo("HTTP/1.1 200 OK");
                }
                awaitNone(served);
            }
            assertThat(served.count("kubemirror.connections.refused", "total")).isZero();
        }
    }

    @Test
    void those_beyond_the_limit_take_nobodys_place() {
        try (ServedMirrors served = limited(2, 0, LONG);
                Caller first = Caller.to(served.port()).ask(LIST)) {
            assertThat(first.line()).isEqualTo("HTTP/1.1 200 OK");
            List<Caller> refused;
            try (Caller second = Caller.to(served.port()).ask(LIST)) {
                assertThat(second.line()).isEqualTo("HTTP/1.1 200 OK");
                refused = silent(5, served);
            }
            await(served, 6);
            try (Caller third = Caller.to(served.port()).ask(LIST)) {
                assertThat(third.line()).isEqualTo("HTTP/1.1 200 OK");
            }
            refused.forEach(Caller::close);
        }
    }

    @Test
    void health_is_told_beyond_the_limit() {
        try (ServedMirrors served = limited(1, 0, LONG);
                Caller first = Caller.to(served.port());
                Caller second = Caller.to(served.port()).ask("/livez")) {
            assertThat(second.untilClosed())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("\r\nConnection: close\r\n")
                    .endsWith("\r\n\r\nok");
            assertThat(first.ask(LIST).line()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    @Test
    void when_too_many_are_being_refused_the_next_waits_for_one_of_them() {
        try (ServedMirrors served = limited(1, 0, LONG)) {
            List<Caller> silent = silent(1 + Connections.SPARE, served);
            try (Caller next = Caller.to(served.port()).ask(LIST)) {
                assertThat(served.gauge("kubemirror.connections.open"))
                        .isEqualTo(1 + Connections.SPARE);
                silent.getLast().close();
                assertThat(next.line()).isEqualTo("HTTP/1.1 429 Too Many Requests");
            }
            silent.forEach(Caller::close);
        }
    }

    @Test
    void a_client_beyond_its_own_limit_is_told_so_and_others_are_served() {
        try (ServedMirrors served = limited(0, 2, LONG);
                Caller first = Caller.to(served.port()).ask(LIST);
                Caller second = Caller.to(served.port()).ask(LIST)) {
            assertThat(first.line()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(second.line()).isEqualTo("HTTP/1.1 200 OK");
            try (Caller third = Caller.to(served.port()).ask(LIST);
                    Caller other = Caller.from("127.0.0.2", served.port()).ask(LIST)) {
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
    void a_client_far_beyond_its_own_limit_is_not_heard_any_longer() {
        try (ServedMirrors served = limited(0, 1, LONG)) {
            List<Caller> silent = silent(1 + Connections.SPARE_PER_CLIENT, served);
            try (Caller next = Caller.to(served.port());
                    Caller other = Caller.from("127.0.0.2", served.port()).ask(LIST)) {
                assertThat(next.untilClosed()).isEmpty();
                assertThat(other.line()).isEqualTo("HTTP/1.1 200 OK");
            }
            silent.forEach(Caller::close);
            awaitNone(served);
            try (Caller again = Caller.to(served.port()).ask(LIST)) {
                assertThat(again.line()).isEqualTo("HTTP/1.1 200 OK");
            }
        }
    }

    @Test
    void without_limits_every_connection_is_welcome() {
        try (ServedMirrors served = limited(0, 0, LONG)) {
            List<Caller> many = silent(2 * Connections.SPARE, served);
            assertThat(many).allMatch(each -> each.ask(LIST).line().endsWith("200 OK"));
            many.forEach(Caller::close);
        }
    }

    @Test
    void a_connection_that_asks_nothing_is_closed() {
        try (ServedMirrors served = limited(0, 0, SHORT);
                Caller silent = Caller.to(served.port())) {
            assertThat(silent.untilClosed()).isEmpty();
            assertThat(served.count("kubemirror.connections.refused", "late")).isEqualTo(1);
        }
    }

    @Test
    void a_request_that_does_not_come_to_its_end_is_closed() {
        try (ServedMirrors served = limited(0, 0, SHORT);
                Caller slow = Caller.to(served.port()).send("GET / HTTP/1.1\r\nHost: te")) {
            assertThat(slow.untilClosed()).isEmpty();
        }
    }

    @Test
    void so_is_a_further_request_of_a_connection() {
        try (ServedMirrors served = limited(0, 0, ENOUGH);
                Caller slow = Caller.to(served.port()).ask("/livez")) {
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
    void a_watch_outlasts_the_time_that_a_request_may_take() {
        try (ServedMirrors served = limited(0, 0, ENOUGH);
                WatchClient watch = served.client().watch(WATCH);
                Caller silent = Caller.to(served.port())) {
            // Began after the watch, which would have been closed before it.
            assertThat(silent.untilClosed()).isEmpty();
            served.writer().upsert(Samples.object("a", "x", 111));
            watch.expectRevision(111);
        }
    }

    @Test
    void nobody_waits_for_a_body() {
        try (ServedMirrors served = limited(0, 0, LONG);
                Caller post =
                        Caller.to(served.port())
                                .send(
                                        "POST /api/v1/namespaces/a/pods HTTP/1.1\r\nHost: [::1]\r\n"
                                                + "Content-Length: 1000\r\n\r\nthe beginn");
                Caller get =
                        Caller.to(served.port())
                                .send(
                                        "GET "
                                                + LIST
                                                + " HTTP/1.1\r\nHost: [::1]\r\n"
                                                + "Content-Length: 1000\r\n\r\nthe beginn")) {
            assertThat(post.untilClosed()).startsWith("HTTP/1.1 405 ");
            assertThat(get.untilClosed()).startsWith("HTTP/1.1 200 ");
        }
    }

    private static List<Caller> silent(int count, ServedMirrors served) {
        double before = served.gauge("kubemirror.connections.open");
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            callers.add(Caller.to(served.port()));
        }
        await(served, before + count);
        return callers;
    }

    private static void awaitNone(ServedMirrors served) {
        await(served, 0);
    }

    private static void await(ServedMirrors served, double open) {
        while (served.gauge("kubemirror.connections.open") != open) {
            Thread.onSpinWait();
        }
    }
}
