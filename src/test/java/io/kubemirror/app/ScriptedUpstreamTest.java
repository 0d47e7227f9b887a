package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.Manifests.widget;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;
import static io.kubemirror.testing.scripted.ServedTypes.WIDGETS;
import static io.kubemirror.testing.scripted.ServerFault.failure;
import static io.kubemirror.testing.scripted.ServerFault.onList;
import static io.kubemirror.testing.scripted.ServerFault.onStream;
import static io.kubemirror.testing.scripted.ServerFault.onWatch;
import static io.kubemirror.testing.scripted.ServerFault.onWatchList;
import static io.kubemirror.testing.scripted.ServerFault.respond;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.scripted.ArmedFault;
import io.kubemirror.testing.scripted.OpenWatch.Step;
import io.kubemirror.testing.scripted.ReceivedRequest;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServerFault;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.node.ObjectNode;

/** Tests {@link UpstreamPromises} with a server that fails on command. */
class ScriptedUpstreamTest extends UpstreamPromises {

    @AutoClose private final ScriptedApiServer server = ScriptedApiServer.create();

    @Override
    protected ApiServer server() {
        return server;
    }

    ScriptedUpstreamTest() {
        server.withdraw(WIDGETS);
    }

    static Stream<Arguments> faults_of_a_watch() {
        return Stream.of(
                Arguments.of("ended cleanly", onStream(new Step.End())),
                Arguments.of("cut between frames", onStream(new Step.Cut())),
                Arguments.of("cut inside a frame", new ServerFault.CutAfterBytes(20)),
                Arguments.of("410 in the stream", failure(status(410, "Expired"))),
                Arguments.of("500 in the stream", failure(status(500, "InternalError"))),
                Arguments.of("429 in the stream", failure(status(429, "TooManyRequests"))),
                Arguments.of("no JSON", onStream(new Step.Write("<html>gateway</html>\n"))),
                Arguments.of(
                        "half an object",
                        onStream(
                                new Step.Write("{\"type\":\"ADDED\",\"object\":{\"ki"),
                                new Step.Cut())),
                Arguments.of(
                        "unknown event",
                        onStream(new Step.Write("{\"type\":\"RENAMED\",\"object\":{}}\n"))),
                Arguments.of(
                        "an object of another kind",
                        onStream(
                                new Step.Write(
                                        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"s\",\"namespace\":\"a\",\"uid\":\"1\",\"resourceVersion\":\"999\"}}}\n"))),
                Arguments.of(
                        "an object without a revision",
                        onStream(
                                new Step.Write(
                                        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"s\",\"namespace\":\"a\",\"uid\":\"1\"}}}\n"))),
                Arguments.of("compressed unasked", new ServerFault.Gzipped()),
                Arguments.of("refused with 410", respond(status(410, "Expired"))),
                Arguments.of("refused with 429", respond(status(429, "TooManyRequests"))),
                Arguments.of("refused with 500", respond(status(500, "InternalError"))),
                Arguments.of("refused with 403", respond(status(403, "Forbidden"))),
                Arguments.of("a page of HTML", respond(200, "text/html", "<html>login</html>")),
                Arguments.of("connection closed", new ServerFault.Refuse()));
    }

    /**
     * Whatever happens to the next watch, a client continues without a list, a lost event, or a
     * repeated one.
     */
    @ParameterizedTest(name = "{0}")
    @MethodSource("faults_of_a_watch")
    void clients_are_unaffected_by_watch_fault(String name, ServerFault fault) {
        server.create(pod("a", "x"));
        server.create(pod("a", "y"));
        try (ReflectorFixture fixture = mirroring(Strategy.LIST_WATCH)) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            ArmedFault armed = server.fault(onWatch(PODS), fault);
            server.awaitWatch(PODS).cut();
            armed.awaitHit();

            server.delete(PODS, "a", "x");
            server.create(pod("a", "z"));

            follower.readUntil(fixture.truth());
            assertThat(follower.seen()).containsExactly("DELETED a/x", "ADDED a/z");
            fixture.stop();
            assertThat(fixture.count(Counter.RESYNCS_BROKEN)).isZero();
        }
    }

    static Stream<Arguments> faults_of_a_list() {
        return Stream.of(
                Arguments.of("refused with 500", respond(status(500, "InternalError"))),
                Arguments.of("refused with 429", respond(status(429, "TooManyRequests"))),
                Arguments.of("refused with 403", respond(status(403, "Forbidden"))),
                Arguments.of("refused with 410", respond(status(410, "Expired"))),
                Arguments.of("cut in the middle", new ServerFault.CutAfterBytes(150)),
                Arguments.of("connection closed", new ServerFault.Refuse()),
                Arguments.of("a page of HTML", respond(200, "text/html", "<html>login</html>")),
                Arguments.of("compressed", new ServerFault.Gzipped()),
                Arguments.of(
                        "without a revision",
                        new ServerFault.ChangeBody(
                                list -> {
                                    list.withObject("/metadata").remove("resourceVersion");
                                    return list;
                                })));
    }

    static Stream<Arguments> faults_of_a_synchronization() {
        Predicate<ReceivedRequest> page =
                onList(PODS).and(request -> !request.parameter("continue").isEmpty());
        return Stream.of(
                        of("first list", Strategy.LIST_WATCH, onList(PODS), faults_of_a_list()),
                        of("second page", Strategy.LIST_WATCH, page, faults_of_a_list()),
                        of("watch-list", Strategy.AUTO, onWatchList(PODS), faults_of_a_watch()))
                .flatMap(Function.identity());
    }

    private static Stream<Arguments> of(
            String request,
            Strategy strategy,
            Predicate<ReceivedRequest> when,
            Stream<Arguments> faults) {
        return faults.map(Arguments::get)
                .map(fault -> Arguments.of(request + " " + fault[0], strategy, when, fault[1]));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults_of_a_synchronization")
    void mirror_recovers_from_a_fault_of_its_synchronization(
            String name, Strategy strategy, Predicate<ReceivedRequest> when, ServerFault fault) {
        server.create(pod("a", "x"));
        server.create(pod("a", "y"));
        server.create(pod("a", "z"));
        ArmedFault armed = server.fault(when, fault);
        try (ReflectorFixture fixture = mirroring(strategy)) {
            new FoldingWatcher(fixture.mirror()).readUntil(fixture.truth());
            armed.awaitHit();
        }
    }

    /** No definition can be read here, so that an end of the watch is the only signal. */
    @ParameterizedTest
    @MethodSource("strategies")
    void objects_that_look_different_at_their_revisions_are_listed(Strategy strategy) {
        server.define(WIDGETS);
        server.create(widget("a", "w", 3));
        try (ReflectorFixture fixture = ReflectorFixture.of(server, WIDGETS, strategy).synced()) {
            FoldingWatcher watcher = new FoldingWatcher(fixture.mirror());
            server.awaitWatch(WIDGETS);

            server.reshape(WIDGETS, ScriptedUpstreamTest::withColor);

            watcher.readToTheEnd();
            assertThat(json(fixture)).singleElement().asString().contains("red");
        }
    }

    /** Another server answers behind the same address. */
    @ParameterizedTest
    @MethodSource("strategies")
    void objects_of_a_server_of_another_version_are_listed(Strategy strategy) {
        server.create(pod("a", "x"));
        try (ReflectorFixture fixture = mirroring(strategy)) {
            FoldingWatcher watcher = new FoldingWatcher(fixture.mirror());
            server.awaitWatch(PODS);

            server.version("v1.37.0");
            server.reshape(PODS, ScriptedUpstreamTest::withColor);

            watcher.readToTheEnd();
            assertThat(json(fixture)).singleElement().asString().contains("red");
        }
    }

    private static ObjectNode withColor(ObjectNode object) {
        object.withObject("spec").put("color", "red");
        return object;
    }

    private static List<String> json(ReflectorFixture fixture) {
        return fixture.mirror().snapshot().orElseThrow().objects().stream()
                .map(object -> new String(object.json(), StandardCharsets.UTF_8))
                .toList();
    }

    private ReflectorFixture mirroring(Strategy strategy) {
        return ReflectorFixture.of(server, PODS, strategy).synced();
    }

    private static Status status(int code, String reason) {
        return new Status(code, reason, "as scripted", null);
    }
}
