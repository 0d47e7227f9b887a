package io.kubemirror.processes;

import static io.kubemirror.testing.Manifests.node;
import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.CONFIGMAPS;
import static io.kubemirror.testing.scripted.ServedTypes.DEPLOYMENTS;
import static io.kubemirror.testing.scripted.ServedTypes.NAMESPACES;
import static io.kubemirror.testing.scripted.ServedTypes.NODES;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;
import static io.kubemirror.testing.scripted.ServedTypes.SERVICES;
import static io.kubemirror.testing.scripted.ServedTypes.WIDGETS;
import static io.kubemirror.testing.scripted.ServerFault.onList;
import static io.kubemirror.testing.scripted.ServerFault.onWatch;
import static io.kubemirror.testing.scripted.ServerFault.respond;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.Names;
import io.kubemirror.model.ResourceType;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServerFault;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Whatever an API server sends, a process with a small heap survives it, reports the problem, and
 * keeps its other mirrors up to date.
 */
class UpstreamMemoryTest extends ProcessHarness {

    private static final String KILOBYTE = "x".repeat(1_000);

    /** What a server can do to a client that believes it, and what the client says about it. */
    enum Attack {
        ENDLESS_OBJECT_IN_A_LIST(
                PODS,
                "list-watch",
                "an object is larger than",
                endless(listOf(PODS) + "{\"a\":\"", KILOBYTE.repeat(50))),
        ENDLESS_OBJECT_IN_A_WATCH(
                SERVICES,
                "watch-list",
                "an object is larger than",
                endless("{\"type\":\"ADDED\",\"object\":{\"a\":\"", KILOBYTE.repeat(50))),
        ENDLESS_LIST_OF_ONE_OBJECT(
                WIDGETS,
                "list-watch",
                "the list contains an object twice",
                endless(listOf(WIDGETS) + item(1), ("," + item(1)).repeat(50))),
        SAME_CONTINUE_TOKEN(
                DEPLOYMENTS,
                "list-watch",
                "the server repeats a continue token",
                page(listOf(DEPLOYMENTS).replace("\"1000\"", "\"1000\",\"continue\":\"again\""))),
        LONG_RESOURCE_VERSION(
                NAMESPACES,
                "list-watch",
                "String value length (",
                page(
                        listOf(NAMESPACES)
                                + item(1).replace("n\":\"2", "n\":\"" + KILOBYTE.repeat(3_000)))),
        ENDLESS_WHITE_SPACE(
                CONFIGMAPS,
                "list-watch",
                "without an object",
                endless(listOf(CONFIGMAPS), " ".repeat(50_000)));

        @SuppressWarnings("ImmutableEnumChecker") // Nothing changes it.
        private final ResourceType type;

        private final String strategy;
        private final String problem;

        @SuppressWarnings("ImmutableEnumChecker") // It has no state.
        private final ServerFault fault;

        Attack(ResourceType type, String strategy, String problem, ServerFault fault) {
            this.type = type;
            this.strategy = strategy;
            this.problem = problem;
            this.fault = fault;
        }

        void arm(ScriptedApiServer server) {
            server.faultUntilWithdrawn(
                    strategy.equals("watch-list") ? onWatch(type) : onList(type), fault);
        }

        String resource() {
            return type.group().isEmpty() ? type.plural() : type.plural() + "." + type.group();
        }

        private static ServerFault page(String list) {
            return respond(200, "application/json", list + "]}");
        }

        private static ServerFault endless(String head, String repeated) {
            return new ServerFault.Stream(count -> count == 0 ? head : repeated);
        }
    }

    private static String listOf(ResourceType type) {
        return "{\"kind\":\"%sList\",\"apiVersion\":\"%s\",\"metadata\":{\"resourceVersion\":\"1000\"},\"items\":["
                .formatted(type.kind(), type.apiVersion());
    }

    private static String item(int number) {
        return "{\"metadata\":{\"name\":\"o%d\",\"namespace\":\"a\",\"uid\":\"u%d\",\"resourceVersion\":\"%d\"},\"data\":{\"a\":\"%s\"}}"
                .formatted(number, number, 1 + number % 1000, KILOBYTE);
    }

    @Test
    void process_survives_a_hostile_api_server_and_reports_each_attack() {
        Set<Attack> attacks = EnumSet.allOf(Attack.class);
        List<String> settings = new ArrayList<>(List.of("kubemirror.resources[0].resource=nodes"));
        for (Attack attack : attacks) {
            attack.arm(server);
            String at = "kubemirror.resources[" + (settings.size() + 1) / 2 + "].";
            settings.add(at + "resource=" + attack.resource());
            settings.add(at + "strategy=" + attack.strategy);
        }
        KubemirrorProcess process = start("64m", settings);

        for (Attack attack : attacks) {
            process.await(() -> problem(process, attack.resource()).contains(attack.problem));
        }
        awaitFollowing(process);
    }

    @Test
    void collection_larger_than_the_heap_is_over_budget_and_spares_other_mirrors() {
        server.faultUntilWithdrawn(onList(PODS), new ServerFault.Stream(listOfPods(200_000)));
        KubemirrorProcess process = startWithPods("64m", "strategy=list-watch");

        process.await(() -> phase(process, "pods").equals("over-budget"));
        assertThat(problem(process, "pods"))
                .contains("MB", "-Xmx", "kubemirror.memory.limit", "drop-fields", "metadata-only");
        assertThat(process.client().get(PODS.collectionPath()).code()).isEqualTo(429);
        awaitFollowing(process);
    }

    /** 47 MB, as large as was possible before there was a budget. */
    @ParameterizedTest
    @EnumSource(names = {"WATCH_LIST", "LIST_WATCH_PARALLEL"})
    void ten_thousand_pods_fit_into_a_heap_of_128_mb(Strategy strategy) {
        String bulk = "x".repeat(4_460);
        for (int i = 0; i < 10_000; i++) {
            server.create(pod("a", "p" + i).annotation("bulk", bulk));
        }
        KubemirrorProcess process =
                startWithPods("128m", "strategy=" + Names.kebab(strategy)).awaitReady();

        assertThat(mirror(process, "pods").at("/content/objects").asInt()).isEqualTo(10_000);
        assertThat(mirror(process, "pods").at("/content/bytes").asLong())
                .isBetween(46_000_000L, 48_000_000L);
        awaitFollowing(process);
    }

    /** 90 and 180 MB of names that are not stored, each of them new. */
    @ParameterizedTest
    @ValueSource(ints = {30, 60})
    void member_names_of_objects_do_not_fill_the_heap(int kilobytes) {
        IntFunction<String> pods = listOfPods(300);
        server.advanceTo(1_000);
        server.faultUntilWithdrawn(
                onList(PODS),
                new ServerFault.Stream(
                        count ->
                                pods.apply(count)
                                        .replace(
                                                ",\"uid\"",
                                                ",\"managedFields\":{%s},\"uid\""
                                                        .formatted(longNames(count, kilobytes)))));
        KubemirrorProcess process =
                startWithPods("64m", "strategy=list-watch", "drop-fields=metadata.managedFields")
                        .awaitReady();

        assertThat(mirror(process, "pods").at("/content/objects").asInt()).isEqualTo(300);
        process.await(() -> phase(process, "pods").equals("watching"));
        awaitFollowing(process);
    }

    private static String longNames(int object, int kilobytes) {
        return IntStream.range(0, 10)
                .mapToObj(i -> "\"%d-%d-%s\":0".formatted(object, i, KILOBYTE.repeat(kilobytes)))
                .collect(Collectors.joining(","));
    }

    private static IntFunction<String> listOfPods(int objects) {
        return count -> {
            if (count == 0) {
                return listOf(PODS) + item(0);
            }
            return count < objects ? "," + item(count) : count == objects ? "]}" : "";
        };
    }

    /** Starts a process with nodes, and with pods that have some properties. */
    private KubemirrorProcess startWithPods(String heap, String... properties) {
        List<String> settings =
                new ArrayList<>(
                        List.of(
                                "kubemirror.resources[0].resource=nodes",
                                "kubemirror.resources[1].resource=pods"));
        for (String property : properties) {
            settings.add("kubemirror.resources[1]." + property);
        }
        return start(heap, settings);
    }

    private KubemirrorProcess start(String heap, List<String> settings) {
        List<String> all = new ArrayList<>(settings);
        all.add("kubemirror.upstream.server=" + server.url());
        return started(KubemirrorProcess.withHeap(heap, all.toArray(String[]::new)));
    }

    /** The nodes are mirrored and their changes arrive. */
    private void awaitFollowing(KubemirrorProcess process) {
        server.create(node("late-" + server.revision()));
        process.await(
                () ->
                        mirror(process, "nodes").at("/content/objects").asInt()
                                == server.objects(NODES).size());
    }

    private static String phase(KubemirrorProcess process, String mirror) {
        return mirror(process, mirror).at("/state/phase").asString("");
    }

    private static String problem(KubemirrorProcess process, String mirror) {
        return mirror(process, mirror).at("/state/problem").asString("");
    }

    private static JsonNode mirror(KubemirrorProcess process, String name) {
        try {
            return process.management().get("/actuator/mirrors/" + name).json().at("/mirrors/0");
        } catch (UncheckedIOException | IllegalStateException starting) {
            return JsonMapper.shared().createObjectNode();
        }
    }
}
