package io.kubemirror.testing.scripted;

import static io.kubemirror.testing.FailureStatuses.status;
import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;
import static io.kubemirror.testing.scripted.ServerFault.cutAfterBytes;
import static io.kubemirror.testing.scripted.ServerFault.cutAfterFrames;
import static io.kubemirror.testing.scripted.ServerFault.delay;
import static io.kubemirror.testing.scripted.ServerFault.endAfterFrames;
import static io.kubemirror.testing.scripted.ServerFault.errorAfterFrames;
import static io.kubemirror.testing.scripted.ServerFault.gzipped;
import static io.kubemirror.testing.scripted.ServerFault.insertAfterFrames;
import static io.kubemirror.testing.scripted.ServerFault.insertAndCutAfterFrames;
import static io.kubemirror.testing.scripted.ServerFault.onDiscovery;
import static io.kubemirror.testing.scripted.ServerFault.onList;
import static io.kubemirror.testing.scripted.ServerFault.onWatch;
import static io.kubemirror.testing.scripted.ServerFault.onWatchList;
import static io.kubemirror.testing.scripted.ServerFault.refuse;
import static io.kubemirror.testing.scripted.ServerFault.respond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RequestLatch;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WatchFrames;
import io.kubemirror.testing.WatchReader;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What a scripted server does wrong on command. */
class ServerFaultTest {

    private static final String LIST = "/api/v1/pods";
    private static final String WATCH = "/api/v1/pods?watch=true&resourceVersion=0";

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private final RestClient client = server.client();
    private ObjectNode x = JsonTrees.object();

    @BeforeEach
    void fill() {
        x = server.create(pod("a", "x"));
        server.create(pod("a", "y"));
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void fault_responds_with_an_error_once() {
        server.fault(onList(PODS), respond(status(429, "TooManyRequests", "later", 7)));

        RestClient.RestResponse first = client.get(LIST);

        assertThat(first.code()).isEqualTo(429);
        assertThat(first.header("retry-after")).isEqualTo("7");
        assertThat(first.json().path("reason").asString()).isEqualTo("TooManyRequests");
        assertThat(client.get(LIST).code()).isEqualTo(200);
    }

    @Test
    void fault_applies_until_it_is_withdrawn() {
        try (ArmedFault fault =
                server.faultUntilWithdrawn(
                        onDiscovery(), respond(503, "text/html", "<html></html>"))) {
            assertThat(client.get("/api").code()).isEqualTo(503);
            assertThat(client.get("/apis").code()).isEqualTo(503);
            assertThat(fault.hits()).isEqualTo(2);
        }
        assertThat(client.get("/apis").code()).isEqualTo(200);
    }

    @Test
    void faults_on_the_same_requests_apply_in_order() {
        server.fault(onList(PODS), respond(status(500, "InternalError", "one")));
        server.fault(onList(PODS), respond(status(503, "ServiceUnavailable", "two")));

        assertThat(client.get(LIST).code()).isEqualTo(500);
        assertThat(client.get(LIST).code()).isEqualTo(503);
        assertThat(client.get(LIST).code()).isEqualTo(200);
    }

    @Test
    void fault_closes_a_connection_without_a_response() {
        server.faultUntilWithdrawn(onList(PODS), refuse());

        assertThatThrownBy(() -> client.get(LIST)).isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void fault_cuts_a_list_within_its_body() {
        server.fault(onList(PODS), cutAfterBytes(50));

        assertThatThrownBy(() -> client.get(LIST)).isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void fault_alters_the_body_of_a_list() {
        server.fault(
                onList(PODS),
                ServerFault.alter(
                        body -> {
                            body.withObject("metadata").remove("resourceVersion");
                            return body;
                        }));

        assertThat(JsonTrees.revision(client.get(LIST).json())).isZero();
    }

    @Test
    void fault_cuts_a_watch_between_two_frames() {
        server.fault(onWatch(PODS), cutAfterFrames(1));
        try (WatchReader watch = client.watch(WATCH)) {
            assertThat(JsonTrees.name(watch.next().path("object"))).isEqualTo("x");
            assertThatThrownBy(watch::nextLine).isInstanceOf(UncheckedIOException.class);
        }
    }

    @Test
    void fault_cuts_a_watch_within_a_frame() {
        server.fault(onWatch(PODS), cutAfterBytes(20));
        try (WatchReader watch = client.watch(WATCH)) {
            assertThatThrownBy(watch::nextLine).isInstanceOf(UncheckedIOException.class);
        }
    }

    @Test
    void fault_ends_a_watch_cleanly_before_its_first_frame() {
        server.fault(onWatch(PODS), endAfterFrames(0));
        try (WatchReader watch = client.watch(WATCH)) {
            assertThat(watch.nextLine()).isEmpty();
        }
    }

    @Test
    void fault_sends_an_error_event_and_ends_the_watch() {
        server.fault(onWatch(PODS), errorAfterFrames(1, status(410, "Expired", "too old")));
        try (WatchReader watch = client.watch(WATCH)) {
            watch.next();
            assertThat(watch.next().at("/object/reason").asString()).isEqualTo("Expired");
            assertThat(watch.nextLine()).isEmpty();
        }
    }

    @Test
    void fault_inserts_arbitrary_data_into_a_watch() {
        server.fault(onWatch(PODS), insertAfterFrames(1, WatchFrames.unknownType(x)));
        server.fault(onWatch(PODS), insertAfterFrames(2, WatchFrames.garbage()));
        try (WatchReader first = client.watch(WATCH);
                WatchReader second = client.watch(WATCH)) {
            first.next();
            assertThat(first.next().path("type").asString()).isEqualTo("RENAMED");
            assertThat(JsonTrees.name(first.next().path("object"))).isEqualTo("y");
            second.next(2);
            assertThat(second.nextLine()).contains("<html>502 Bad Gateway</html>");
        }
    }

    @Test
    void fault_ends_a_watch_with_half_a_frame() {
        server.fault(onWatch(PODS), insertAndCutAfterFrames(2, WatchFrames.half(x)));
        try (WatchReader watch = client.watch(WATCH)) {
            watch.next(2);
            assertThatThrownBy(watch::next).isInstanceOf(RuntimeException.class);
        }
    }

    @Test
    void fault_compresses_a_watch() {
        server.fault(onWatch(PODS), gzipped());
        try (WatchReader watch = client.watch(WATCH, "Accept-Encoding", "gzip, identity")) {
            assertThat(watch.header("Content-Encoding")).isEqualTo("gzip");
        }
    }

    @Test
    void open_watch_sends_frames_and_errors_on_command() {
        try (WatchReader watch = client.watch(WATCH)) {
            OpenWatch open = server.awaitWatch(PODS);
            watch.next(2);
            open.send(WatchFrames.unknownType(x));
            open.fail(status(500, "InternalError", "etcdserver: leader changed"));
            assertThat(watch.next().path("type").asString()).isEqualTo("RENAMED");
            assertThat(watch.next().at("/object/code").asInt()).isEqualTo(500);
            assertThat(watch.nextLine()).isEmpty();
        }
        server.awaitWatches(PODS, 0);
    }

    @Test
    void fault_delays_a_request_until_its_latch_opens() {
        RequestLatch requestLatch = new RequestLatch();
        server.fault(onList(PODS), delay(requestLatch));
        CompletableFuture<RestClient.RestResponse> reply =
                CompletableFuture.supplyAsync(() -> client.get(LIST));

        requestLatch.awaitArrival();
        server.create(pod("a", "z"));
        requestLatch.open();

        assertThat(reply.join().json().path("items")).hasSize(3);
    }

    @Test
    void fault_on_watch_lists_does_not_affect_plain_watches() {
        server.fault(onWatchList(PODS), respond(status(422, "Invalid", "no")));
        try (WatchReader watch = client.watch("/api/v1/pods?watch=1&resourceVersion=3")) {
            assertThat(watch.code()).isEqualTo(200);
        }
        assertThat(
                        client.get(
                                        "/api/v1/pods?watch=1&sendInitialEvents=true"
                                                + "&resourceVersionMatch=NotOlderThan")
                                .code())
                .isEqualTo(422);
    }

    @Test
    void disconnected_client_closes_its_watch() {
        try (WatchReader watch = client.watch(WATCH)) {
            assertThat(server.awaitWatch(PODS).request().isTrue("watch")).isTrue();
            assertThat(watch.code()).isEqualTo(200);
        }
        server.awaitWatches(PODS, 0);
    }

    @Test
    void received_requests_are_recorded_and_can_be_awaited() {
        client.get(LIST + "?limit=2&continue=", "X-Test", "yes");

        ReceivedRequest request = server.requests().next(onList(PODS));

        assertThat(request.query()).containsEntry("limit", "2").containsEntry("continue", "");
        assertThat(request.header("x-test")).isEqualTo("yes");
        assertThat(server.requests().poll(onList(PODS), Duration.ZERO)).isNull();
        assertThat(server.requests().all()).containsExactly(request);
    }

    @Test
    void enabled_timeouts_end_watches_cleanly() {
        try (ScriptedApiServer prompt =
                        ScriptedApiServer.create(
                                ScriptedSettings.deterministic()
                                        .withTimeouts((duration, end) -> end.run()));
                WatchReader watch =
                        prompt.client().watch("/api/v1/pods?watch=1&timeoutSeconds=300")) {
            assertThat(watch.nextLine()).isEmpty();
        }
    }
}
