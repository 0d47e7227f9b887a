package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.testing.Results;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Discovery from documents that were recorded from an API server and shortened. */
class DiscoveryClientTest {

    private static final Failure DOWN =
            new Failure.Refused(new Status(503, "ServiceUnavailable", "down", null));

    private final Map<String, Failure> failures = new HashMap<>();
    private final List<String> asked = new ArrayList<>();

    @Test
    void discovery_finds_a_core_type() {
        ResourceType type = found("pods");

        assertThat(type.group()).isEmpty();
        assertThat(type.version()).isEqualTo("v1");
        assertThat(type.kind()).isEqualTo("Pod");
        assertThat(type.singular()).isEqualTo("pod");
        assertThat(type.namespaced()).isTrue();
        assertThat(type.shortNames()).containsExactly("po");
        assertThat(type.categories()).containsExactly("all");
        assertThat(found("nodes").namespaced()).isFalse();
    }

    @Test
    void discovery_suggests_similar_names_for_an_unknown_type() {
        assertThat(similar("pod")).contains("pods");
        assertThat(similar("deploy")).containsExactly("deployments.apps");
        assertThat(similar("widget.example.com")).containsExactly("widgets.example.com");
        assertThat(similar("deployments.example.com")).containsExactly("deployments.apps");
        assertThat(similar("quarks")).isEmpty();
    }

    @Test
    void type_without_the_watch_verb_is_found_as_unwatchable() {
        assertThat(pods(",\"watch\""))
                .isInstanceOfSatisfying(
                        TypeLookup.Found.class, pods -> assertThat(pods.watchable()).isFalse());
        assertThat(pods("nothing"))
                .isInstanceOfSatisfying(
                        TypeLookup.Found.class, pods -> assertThat(pods.watchable()).isTrue());
    }

    @Test
    void type_without_the_list_verb_is_unknown() {
        assertThat(pods("\"list\",")).isEqualTo(new TypeLookup.Unknown(List.of()));
    }

    private TypeLookup pods(String removed) {
        DiscoveryClient discovery =
                new DiscoveryClient((path, _) -> replaced(document(path), removed, ""));
        return Results.value(discovery.resolve(new ResourceName("pods")));
    }

    @Test
    void aggregated_discovery_needs_two_requests() {
        found("deployments.apps");

        assertThat(asked).containsExactly("/api", "/apis");
    }

    @Test
    void discovery_fails_while_the_server_is_unavailable() {
        failures.put("/apis", DOWN);

        assertThat(resolve("pods")).isEqualTo(Result.failed(DOWN));
    }

    @Test
    void server_without_aggregated_discovery_is_too_old() {
        DiscoveryClient discovery =
                new DiscoveryClient(
                        (path, _) ->
                                replaced(document(path), "APIGroupDiscoveryList", "APIVersions"));

        assertThat(discovery.resolve(new ResourceName("pods")))
                .isEqualTo(
                        Result.failed(
                                new Failure.Malformed(
                                        "the server has no aggregated discovery; kubemirror needs"
                                                + " Kubernetes 1.30 or newer")));
    }

    @Test
    void server_without_core_types_is_discovered() {
        failures.put("/api", new Failure.Refused(new Status(404, "NotFound", "none", null)));

        assertThat(found("widgets").apiVersion()).isEqualTo("example.com/v1");
        assertThat(found("widgets.v1beta1.example.com").version()).isEqualTo("v1beta1");
        assertThat(resolve("nodes")).isEqualTo(Result.of(new TypeLookup.Unknown(List.of())));
    }

    @Test
    void lookup_in_a_stale_group_fails_instead_of_reporting_an_unknown_type() {
        DiscoveryClient discovery =
                new DiscoveryClient(
                        (path, _) -> replaced(document(path), "\"Current\"", "\"Stale\""));

        assertThat(discovery.resolve(new ResourceName("gizmos.example.com")))
                .isEqualTo(
                        Result.failed(
                                new Failure.Unreachable(
                                        "discovery of example.com/v1 is stale",
                                        Failure.Unreachable.Kind.BROKEN)));
    }

    private static Result<JsonNode> replaced(Result<JsonNode> document, String text, String other) {
        String json = Results.value(document).toString().replace(text, other);
        return Result.of(JsonMapper.shared().readTree(json));
    }

    private ResourceType found(String name) {
        return found(resolve(name));
    }

    private static ResourceType found(Result<TypeLookup> found) {
        TypeLookup outcome = Results.value(found);
        assertThat(outcome).isInstanceOf(TypeLookup.Found.class);
        return ((TypeLookup.Found) outcome).type();
    }

    private List<String> similar(String name) {
        TypeLookup outcome = Results.value(resolve(name));
        assertThat(outcome).isInstanceOf(TypeLookup.Unknown.class);
        return ((TypeLookup.Unknown) outcome).similar();
    }

    private Result<TypeLookup> resolve(String name) {
        return new DiscoveryClient((path, _) -> document(path)).resolve(new ResourceName(name));
    }

    private Result<JsonNode> document(String path) {
        asked.add(path);
        if (failures.containsKey(path)) {
            return Result.failed(failures.get(path));
        }
        String file = path.substring(1) + ".aggregated.json";
        try (InputStream json = DiscoveryClientTest.class.getResourceAsStream(file)) {
            return Result.of(JsonMapper.shared().readTree(json));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final DiscoveryClient.TypeCatalog catalog = new DiscoveryClient.TypeCatalog();

    /** Types as {@code group version plural}, in the order of the server, and what names mean. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    core types precede Kubernetes' groups and all others | metrics.example.com v1 events, events.k8s.io v1 events, '' v1 events | events=v1, events.events.k8s.io=events.k8s.io/v1, events.metrics.example.com=metrics.example.com/v1
                    Kubernetes' groups precede others | b.example.com v1 ingresses, networking.k8s.io v1 ingresses | ingresses=networking.k8s.io/v1
                    other groups keep their order | b.example.com v1 routes, a.example.com v1 routes | routes=b.example.com/v1
                    a version in a name precedes an equally named group | v1.example.com v2 widgets, example.com v2 widgets, example.com v1 widgets | widgets.v1.example.com=example.com/v1
                    a type that the preferred version lacks is found in another | example.com v2 widgets, example.com v1 widgets, example.com v1 gadgets | widgets=example.com/v2, gadgets=example.com/v1
                    """)
    void name_means_the_type_that_precedes_others(String why, String types, String meanings) {
        for (String type : types.split(", ", -1)) {
            String[] parts = type.split(" ", -1);
            add(parts[0].replace("''", ""), parts[1], parts[2]);
        }

        for (String meaning : meanings.split(", ", -1)) {
            String[] parts = meaning.split("=", -1);
            assertThat(found(catalog.find(new ResourceName(parts[0]))).apiVersion())
                    .as(parts[0])
                    .isEqualTo(parts[1]);
        }
    }

    @Test
    void at_most_three_groups_with_a_type_of_that_name_are_suggested() {
        for (String group : List.of("a", "b", "c", "d")) {
            add(group + ".example.com", "v2", "widgets");
            add(group + ".example.com", "v1", "widgets");
        }

        assertThat(catalog.find(new ResourceName("widgets.example.com")))
                .isEqualTo(
                        Result.of(
                                new TypeLookup.Unknown(
                                        List.of(
                                                "widgets.a.example.com",
                                                "widgets.b.example.com",
                                                "widgets.c.example.com"))));
    }

    private void add(String group, String version, String plural) {
        catalog.add(
                new ResourceType(group, version, "Kind", plural, "", true, List.of(), List.of()),
                true);
    }
}
