package io.kubemirror.feature.demand;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.Manifests.widget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import module java.base;

import io.kubemirror.api.ApiSamples;
import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.Closer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ReceivedRequest;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServedTypes;
import io.kubemirror.testing.scripted.ServerFault;
import io.micrometer.core.instrument.MeterRegistry;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Mirrors start with the first request and end when nobody uses them. */
@ExtendWith(OutputCaptureExtension.class)
class OnDemandTest {

    private static final String[] ON_DEMAND = {
        "kubemirror.pass-through.mode=own", "kubemirror.resources[0].start=on-demand"
    };

    private static final String CONFIGMAPS = "/api/v1/configmaps";
    private static final String WIDGETS = "/apis/example.com/v1/widgets";

    @AutoClose private final Closer open = new Closer();
    private final ScriptedApiServer server = open.add(ScriptedApiServer.create());
    private final List<ConfigurableApplicationContext> started = new ArrayList<>();

    private RestClient start(String pattern, String... settings) {
        started.add(
                open.add(
                        ApplicationLauncher.mirroring(
                                server.url(),
                                pattern,
                                ApplicationLauncher.and(ON_DEMAND, settings))));
        return ApplicationLauncher.api(started.getLast());
    }

    private static String state(RestResponse response) {
        return response.header("kubemirror-state");
    }

    private static List<String> names(JsonNode list) {
        return list.path("items").valueStream().map(JsonTrees::name).toList();
    }

    /** Requests until memory answers. */
    private static RestResponse mirrored(RestClient client, String path) {
        return await().until(() -> client.get(path), answer -> state(answer).equals("synced"));
    }

    private List<String> mirrors() {
        return started.getLast().getBean(MirrorSet.class).stream()
                .map(mirror -> mirror.scope().toString())
                .toList();
    }

    private static Predicate<ReceivedRequest> watches(String path) {
        return request -> request.path().equals(path) && request.isTrue("watch");
    }

    /** Opens a watch once the mirror is complete. */
    private static WatchReader watch(RestClient client, String target) {
        await().until(() -> client.get(target + "&timeoutSeconds=1").code() == 200);
        return client.patient().watch(target);
    }

    @Test
    void server_answers_the_first_request_and_memory_the_next() {
        server.create(configMap("a", "x"));
        RestClient client = start("*");

        RestResponse first = client.get(CONFIGMAPS);

        assertThat(first.code()).isEqualTo(200);
        assertThat(state(first)).isEqualTo("passed");
        assertThat(names(first.json())).containsExactly("x");
        assertThat(names(mirrored(client, CONFIGMAPS).json())).containsExactly("x");
        assertThat(state(mirrored(client, "/api/v1/namespaces/a/configmaps/x")))
                .isEqualTo("synced");
        assertThat(mirrors()).containsExactly("configmaps");
    }

    /** Only a mirror knows an order, so the first request of a type is not for the API server. */
    @ParameterizedTest
    @ValueSource(strings = {"own", "client"})
    void first_list_of_a_type_may_be_sorted(String passThrough) {
        server.create(configMap("a", "x"));
        server.create(configMap("b", "w"));
        server.knowToken("t-anna", "anna");
        server.permit("anna", "list configmaps");
        String target = CONFIGMAPS + "?sortBy=-metadata.name";
        RestClient client =
                start("*", "kubemirror.pass-through.mode=" + passThrough).withToken("t-anna");

        assertThat(client.get(target).code()).isEqualTo(429);
        assertThat(names(mirrored(client, target).json())).containsExactly("x", "w");
    }

    @Test
    void stream_of_several_resources_starts_their_mirrors() {
        server.create(configMap("a", "x"));
        RestClient client = start("*");
        String stream = "/kubemirror/v1/watch?stateBookmarks=false&resource=configmaps&resource=";

        RestResponse first = client.get(stream + "widgets.example.com");
        assertThat(first.code()).isEqualTo(429);
        assertThat(first.header("retry-after")).isEqualTo("1");
        try (WatchReader watch = watch(client, stream + "widgets.example.com")) {
            assertThat(watch.code()).isEqualTo(200);
            List<String> resources =
                    Stream.generate(() -> data(watch))
                            .limit(3)
                            .map(event -> event.path("resource").asString())
                            .toList();
            assertThat(resources)
                    .containsExactlyInAnyOrder("configmaps", "configmaps", "widgets.example.com");
            server.create(widget("a", "w", 1));
            assertThat(JsonTrees.name(data(watch).path("object"))).isEqualTo("w");
        }
        assertThat(mirrors()).containsExactlyInAnyOrder("configmaps", "widgets.example.com");
        await().until(() -> client.get(stream + "secrets").code() == 404);
    }

    /** The data of the next event. */
    private static ObjectNode data(WatchReader watch) {
        return Stream.generate(() -> watch.nextLine().orElseThrow())
                .filter(line -> line.startsWith("data: "))
                .map(line -> JsonTrees.parse(line.substring(6)))
                .findFirst()
                .orElseThrow();
    }

    /** Only the API server shows it, without a mirror. */
    @Test
    void watch_is_told_to_come_again_until_its_mirror_is_complete() {
        RestClient client = start("*");

        RestResponse first = client.get(CONFIGMAPS + "?watch=1");

        assertThat(first.code()).isEqualTo(429);
        assertThat(first.header("retry-after")).isEqualTo("1");
        try (WatchReader watch = watch(client, CONFIGMAPS + "?watch=1")) {
            server.create(configMap("a", "x"));
            assertThat(JsonTrees.name(watch.next().path("object"))).isEqualTo("x");
        }
        assertThat(server.requests().all(watches(CONFIGMAPS))).hasSize(1);
    }

    @Test
    void watch_of_a_type_that_kubemirror_may_not_mirror_is_passed_on() {
        server.faultUntilWithdrawn(
                request -> request.path().endsWith("/selfsubjectaccessreviews"),
                ServerFault.respond(
                        201,
                        "application/json",
                        "{\"kind\":\"SelfSubjectAccessReview\",\"status\":{\"allowed\":false}}"));
        server.create(configMap("a", "x"));
        RestClient client = start("*");
        assertThat(client.get(CONFIGMAPS + "?watch=1").code()).isEqualTo(429);

        await().until(
                        () -> {
                            try (WatchReader watch =
                                    client.patient().watch(CONFIGMAPS + "?watch=1")) {
                                return watch.header("kubemirror-state").equals("passed");
                            }
                        });
        assertThat(mirrors()).isEmpty();
    }

    private static List<String> resources(Iterable<JsonNode> resources) {
        List<String> names = new ArrayList<>();
        resources.forEach(resource -> names.add(resource.path("name").asString()));
        return names;
    }

    @Test
    void pattern_of_a_group_is_for_that_group_only() {
        RestClient client = start("*.example.com");

        assertThat(client.get(WIDGETS).code()).isEqualTo(200);
        assertThat(state(client.get(CONFIGMAPS))).isEqualTo("passed");
        assertThat(state(client.get("/apis/apps/v1/deployments"))).isEqualTo("passed");
        assertThat(client.get("/apis/example.com/v1/gadgets").code()).isEqualTo(404);
        mirrored(client, WIDGETS);
        assertThat(mirrors()).containsExactly("widgets.example.com");
    }

    @Test
    void pattern_has_no_secrets_unless_they_are_allowed() {
        RestClient client = start("*");
        assertThat(state(client.get("/api/v1/secrets"))).isEqualTo("passed");
        mirrored(client, CONFIGMAPS);
        assertThat(state(client.get("/api/v1/secrets"))).isEqualTo("passed");
        assertThat(mirrors()).containsExactly("configmaps");

        mirrored(start("*", "kubemirror.allow-secrets=true"), "/api/v1/secrets");
    }

    @Test
    void configured_name_comes_before_a_pattern() {
        server.create(pod("a", "x"));
        server.create(pod("b", "y"));
        RestClient client =
                start(
                        "*",
                        "kubemirror.resources[1].resource=pods",
                        "kubemirror.resources[1].namespaces=a");

        assertThat(names(mirrored(client, "/api/v1/namespaces/a/pods").json()))
                .containsExactly("x");
        assertThat(state(client.get("/api/v1/namespaces/b/pods"))).isEqualTo("passed");
    }

    @Test
    void idle_mirror_ends_and_starts_again_with_the_next_request() {
        server.create(configMap("a", "x"));
        RestClient client = start("*", "kubemirror.resources[0].idle=1s");
        mirrored(client, CONFIGMAPS);

        await().until(() -> mirrors().isEmpty());

        await().untilAsserted(() -> assertThat(meters()).doesNotContain("configmaps"));
        RestResponse again = client.get(CONFIGMAPS);
        assertThat(state(again)).isEqualTo("passed");
        assertThat(names(again.json())).containsExactly("x");
        mirrored(client, CONFIGMAPS);
    }

    /** The resources with meters, except for those of requests and watches, which were counted. */
    private List<String> meters() {
        return started.getLast().getBean(MeterRegistry.class).getMeters().stream()
                .filter(meter -> !meter.getId().getName().matches("kubemirror\\.(request|watch).*"))
                .map(meter -> String.valueOf(meter.getId().getTag("resource")))
                .toList();
    }

    @Test
    void open_watch_keeps_a_mirror() {
        RestClient client = start("*", "kubemirror.resources[0].idle=1s");
        try (WatchReader watch = watch(client, CONFIGMAPS + "?watch=1")) {
            mirrored(client, "/api/v1/pods");

            await().until(() -> mirrors().equals(List.of("configmaps")));
            server.create(configMap("a", "x"));
            assertThat(JsonTrees.name(watch.next().path("object"))).isEqualTo("x");
        }
        await().until(() -> mirrors().isEmpty());
    }

    /** A mirror that needs the memory of those on demand. */
    private static Mirror needing() {
        return Mirrors.pods();
    }

    /** The API server may not know shards, and would answer with all objects. */
    @Test
    void list_of_a_shard_waits_for_the_mirror() {
        server.create(configMap("a", "x"));
        RestClient client = start("*");
        String shard =
                CONFIGMAPS
                        + "?shardSelector=shardRange(object.metadata.uid,"
                        + "'0x0000000000000000','0x0000000000000001')";

        assertThat(client.get(shard).code()).isEqualTo(429);
        assertThat(names(mirrored(client, shard).json())).isEmpty();
    }

    @Test
    void requests_while_mirrors_end_never_fail() throws Exception {
        server.create(configMap("a", "x"));
        RestClient client = start("*");
        OnDemandMirrors onDemand = started.getLast().getBean(OnDemandMirrors.class);
        Mirror needing = needing();
        for (int i = 0; i < 30; i++) {
            onDemand.reclaim(needing);
            for (int j = 0; j < 10; j++) {
                RestResponse answer =
                        await().until(
                                        () -> client.get(CONFIGMAPS),
                                        one -> !one.header("retry-after").equals("1"));
                assertThat(answer.code()).isEqualTo(200);
                assertThat(names(answer.json())).containsExactly("x");
            }
        }
    }

    @Test
    void type_that_is_defined_later_is_served() {
        ResourceType gadgets = ApiSamples.type("example.com", "v1", "Gadget", "gadgets");
        RestClient client = start("*.example.com");
        assertThat(client.get("/apis/example.com/v1/gadgets").code()).isEqualTo(404);

        server.define(gadgets);

        await().until(() -> client.get("/apis/example.com/v1/gadgets").code() == 200);
        mirrored(client, "/apis/example.com/v1/gadgets");
        assertThat(resources(client.get("/apis/example.com/v1").json().path("resources")))
                .contains("gadgets");
    }

    @Test
    void type_that_is_withdrawn_disappears_without_a_problem(CapturedOutput output) {
        RestClient client = start("*.example.com");
        mirrored(client, WIDGETS);
        server.create(widget("a", "x", 1));
        await().until(() -> names(client.get(WIDGETS).json()).size() == 1);

        server.withdraw(ServedTypes.WIDGETS);

        await().until(() -> mirrors().isEmpty());
        assertThat(client.get(WIDGETS).code()).isEqualTo(404);
        assertThat(output.getAll().lines())
                .filteredOn(line -> line.contains(" WARN ") || line.contains(" ERROR "))
                .noneMatch(line -> line.contains("widgets"));
        assertThat(ApplicationLauncher.management(started.getLast()).get("/actuator/health").code())
                .isEqualTo(200);
    }

    @Test
    void further_pages_of_a_list_of_the_server_come_from_the_server() {
        IntStream.range(0, 5).forEach(i -> server.create(configMap("a", "x" + i)));
        RestClient client = start("*");
        JsonNode page = client.get(CONFIGMAPS + "?limit=2").json();
        String token = page.at("/metadata/continue").asString();
        server.create(configMap("a", "y"));
        mirrored(client, CONFIGMAPS);

        RestResponse next = client.get(CONFIGMAPS + "?limit=3&continue=" + token);

        assertThat(next.code()).isEqualTo(200);
        assertThat(names(next.json())).containsExactly("x2", "x3", "x4");
    }

    @Test
    void mirror_that_was_used_least_recently_leaves_when_another_needs_memory() {
        String large = "a".repeat(200_000);
        IntStream.range(0, 25)
                .forEach(i -> server.create(configMap("a", "x" + i).data("k", large)));
        IntStream.range(0, 25)
                .forEach(
                        i ->
                                server.create(
                                        pod("a", "x" + i)
                                                .with(
                                                        "{\"spec\":{\"k\":\"%s\"}}"
                                                                .formatted(large))));
        RestClient client =
                start("*", "kubemirror.memory.limit=10MB", "kubemirror.memory.clients=3MB");
        mirrored(client, CONFIGMAPS + "?limit=1");

        mirrored(client, "/api/v1/pods?limit=1");

        assertThat(mirrors()).containsExactly("pods");
        assertThat(client.get(CONFIGMAPS + "?limit=1").code()).isEqualTo(200);
    }
}
