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
import static io.kubemirror.testing.scripted.ServerFault.silentAfterFrames;

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
    void an_answer_can_be_a_failure_once() {
        server.fault(onList(PODS), respond(status(429, "TooManyRequests", "later", 7)));

        RestClient.RestResponse first = client.get(LIST);

        assertThat(first.code()).isEqualTo(429);
        assertThat(first.header("retry-after")).isEqualTo("7");
        assertThat(first.json().path("reason").asString()).isEqualTo("TooManyRequests");
        assertThat(client.get(LIST).code()).isEqualTo(200);
    }

    @Test
    void a_fault_can_stay_until_it_is_withdrawn() {
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
    void faults_of_the_same_requests_come_one_after_the_other() {
        server.fault(onList(PODS), respond(status(500, "InternalError", "one")));
        server.fault(onList(PODS), respond(status(503, "ServiceUnavailable", "two")));

        assertThat(client.get(LIST).code()).isEqualTo(500);
        assertThat(client.get(LIST).code()).isEqualTo(503);
        assertThat(client.get(LIST).code()).isEqualTo(200);
    }

    @Test
    void a_connection_can_be_closed_without_an_answer() {
        server.faultUntilWithdrawn(onList(PODS), refuse());

        assertThatThrownBy(() -> client.get(LIST)).isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void a_list_can_be_cut_in_its_body() {
        server.fault(onList(PODS), cutAfterBytes(50));

        assertThatThrownBy(() -> client.get(LIST)).isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void a_list_can_be_altered() {
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
    void a_watch_can_be_cut_between_two_frames() {
        server.fault(onWatch(PODS), cutAfterFrames(1));
        try (WatchReader watch = client.watch(WATCH)) {
            assertThat(JsonTrees.name(watch.next().path("object"))).isEqualTo("x");
            assertThatThrownBy(watch::nextLine).isInstanceOf(UncheckedIOException.class);
        }
    }

    @Test
    void a_watch_can_be_cut_within_a_frame() {
        server.fault(onWatch(PODS), cutAfterBytes(20));
        try (WatchReader watch = client.watch(WATCH)) {
            assertThatThrownBy(watch::nextLine).isInstanceOf(UncheckedIOException.class);
        }
    }

    @Test
    void a_watch_can_end_cleanly_before_its_first_frame() {
        server.fault(onWatch(PODS), endAfterFrames(0));
        try (WatchReader watch = client.watch(WATCH)) {
            assertThat(watch.nextLine()).isEmpty();
        }
    }

    @Test
    void a_watch_can_fail_in_the_stream() {
        server.fault(onWatch(PODS), errorAfterFrames(1, status(410, "Expired", "too old")));
        try (WatchReader watch = client.watch(WATCH)) {
            watch.next();
            assertThat(watch.next().at("/object/reason").asString()).isEqualTo("Expired");
            assertThat(watch.nextLine()).isEmpty();
        }
    }

    @Test
    void a_watch_can_fall_silent_until_it_is_cut() {
        server.fault(onWatch(PODS), silentAfterFrames(2));
        try (WatchReader watch = client.watch(WATCH)) {
            watch.next(2);
            server.create(pod("a", "z"));
            server.awaitWatch(PODS).cut();
            assertThatThrownBy(watch::nextLine).isInstanceOf(UncheckedIOException.class);
        }
    }

    @Test
    void anything_can_be_inserted_into_a_watch() {
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
    void a_watch_can_end_in_half_a_frame() {
        server.fault(onWatch(PODS), insertAndCutAfterFrames(2, WatchFrames.half(x)));
        try (WatchReader watch = client.watch(WATCH)) {
            watch.next(2);
            assertThatThrownBy(watch::next).isInstanceOf(RuntimeException.class);
        }
    }

    @Test
    void a_watch_can_be_compressed() {
        server.fault(onWatch(PODS), gzipped());
        try (WatchReader watch = client.watch(WATCH, "Accept-Encoding", "gzip, identity")) {
            assertThat(watch.header("Content-Encoding")).isEqualTo("gzip");
        }
    }

    @Test
    void open_watches_take_commands() {
        try (WatchReader watch = client.watch(WATCH)) {
            OpenWatch open = server.awaitWatch(PODS);
            watch.next(2);
            open.send(WatchFrames.ofAnotherKind(x));
            open.send(WatchFrames.withoutRevision(x));
            open.fail(status(500, "InternalError", "etcdserver: leader changed"));
            assertThat(watch.next().at("/object/kind").asString()).isEqualTo("Banana");
            assertThat(JsonTrees.revision(watch.next().path("object"))).isZero();
            assertThat(watch.next().at("/object/code").asInt()).isEqualTo(500);
            assertThat(watch.nextLine()).isEmpty();
        }
        server.awaitWatches(PODS, 0);
    }

    @Test
    void a_request_can_be_held_up_at_a_gate() {
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
    void only_watch_lists_can_be_meant() {
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
    void a_client_that_goes_away_closes_its_watch() {
        try (WatchReader watch = client.watch(WATCH)) {
            assertThat(server.awaitWatch(PODS).request().isTrue("watch")).isTrue();
            assertThat(watch.code()).isEqualTo(200);
        }
        server.awaitWatches(PODS, 0);
    }

    @Test
    void requests_are_kept_in_order_and_can_be_awaited() {
        client.get(LIST + "?limit=2&continue=", "X-Test", "yes");

        ReceivedRequest request = server.requests().next(onList(PODS));

        assertThat(request.query()).containsEntry("limit", "2").containsEntry("continue", "");
        assertThat(request.header("x-test")).isEqualTo("yes");
        assertThat(server.requests().poll(onList(PODS), Duration.ZERO)).isNull();
        assertThat(server.requests().all()).containsExactly(request);
    }

    @Test
    void timeouts_end_watches_cleanly_when_somebody_keeps_them() {
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
