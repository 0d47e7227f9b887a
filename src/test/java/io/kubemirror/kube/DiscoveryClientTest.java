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
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Discovery from documents that were recorded from an API server and shortened. */
class DiscoveryClientTest {

    private static final Failure DOWN =
            new Failure.Refused(new Status(503, "ServiceUnavailable", "down", null));

    private final Map<String, Failure> failures = new HashMap<>();
    private final List<String> asked = new ArrayList<>();

    enum Form {
        AGGREGATED,
        PLAIN,
        ONLY_CORE_AGGREGATED,
        ONLY_GROUPS_AGGREGATED;

        private boolean aggregates(String path) {
            return switch (this) {
                case AGGREGATED -> true;
                case PLAIN -> false;
                case ONLY_CORE_AGGREGATED -> path.equals("/api");
                case ONLY_GROUPS_AGGREGATED -> path.equals("/apis");
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void discovery_finds_a_core_type(Form form) {
        ResourceType type = found(form, "pods");

        assertThat(type.group()).isEmpty();
        assertThat(type.version()).isEqualTo("v1");
        assertThat(type.kind()).isEqualTo("Pod");
        assertThat(type.singular()).isEqualTo("pod");
        assertThat(type.namespaced()).isTrue();
        assertThat(type.shortNames()).containsExactly("po");
        assertThat(type.categories()).isEqualTo(found(Form.AGGREGATED, "pods").categories());
        assertThat(found(form, "nodes").namespaced()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void discovery_finds_a_grouped_type_with_and_without_its_group(Form form) {
        assertThat(found(form, "deployments").apiVersion()).isEqualTo("apps/v1");
        assertThat(found(form, "deployments.apps")).isEqualTo(found(form, "deployments"));
    }

    @ParameterizedTest
    @EnumSource
    void discovery_finds_a_custom_resource_in_the_preferred_or_named_version(Form form) {
        assertThat(found(form, "widgets").apiVersion()).isEqualTo("example.com/v1");
        assertThat(found(form, "widgets.example.com").apiVersion()).isEqualTo("example.com/v1");
        assertThat(found(form, "widgets.v1.example.com").version()).isEqualTo("v1");
        assertThat(found(form, "widgets.v1beta1.example.com").version()).isEqualTo("v1beta1");
        assertThat(found(form, "widgets").shortNames()).containsExactly("wd");
    }

    @ParameterizedTest
    @EnumSource
    void discovery_suggests_similar_names_for_an_unknown_type(Form form) {
        assertThat(similar(form, "pod")).contains("pods");
        assertThat(similar(form, "deploy")).containsExactly("deployments.apps");
        assertThat(similar(form, "widget.example.com")).containsExactly("widgets.example.com");
        assertThat(similar(form, "deployments.example.com")).containsExactly("deployments.apps");
        assertThat(similar(form, "quarks")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void type_without_the_watch_verb_is_found_as_unwatchable(Form form) {
        assertThat(pods(form, ",\"watch\""))
                .isInstanceOfSatisfying(
                        TypeLookup.Found.class, pods -> assertThat(pods.watchable()).isFalse());
        assertThat(pods(form, "nothing"))
                .isInstanceOfSatisfying(
                        TypeLookup.Found.class, pods -> assertThat(pods.watchable()).isTrue());
    }

    @ParameterizedTest
    @EnumSource
    void type_without_the_list_verb_is_unknown(Form form) {
        assertThat(pods(form, "\"list\",")).isEqualTo(new TypeLookup.Unknown(List.of()));
    }

    private TypeLookup pods(Form form, String removed) {
        DiscoveryClient discovery =
                new DiscoveryClient(
                        (path, accept) -> replaced(document(form, path, accept), removed, ""));
        return Results.value(discovery.resolve(new ResourceName("pods")));
    }

    @Test
    void aggregated_discovery_needs_two_requests() {
        found(Form.AGGREGATED, "deployments.apps");

        assertThat(asked).containsExactly("/api", "/apis");
    }

    @ParameterizedTest
    @EnumSource
    void discovery_fails_while_the_server_is_unavailable(Form form) {
        failures.put("/apis", DOWN);

        assertThat(resolve(form, "pods")).isEqualTo(Result.failed(DOWN));
    }

    @Test
    void unavailable_group_hides_only_types_that_it_could_contain() {
        failures.put("/apis/apps/v1", DOWN);

        assertThat(resolve(Form.PLAIN, "deployments.apps")).isEqualTo(Result.failed(DOWN));
        assertThat(resolve(Form.PLAIN, "unheardof")).isEqualTo(Result.failed(DOWN));
        assertThat(found(Form.PLAIN, "pods").kind()).isEqualTo("Pod");
        assertThat(resolve(Form.PLAIN, "gadgets.example.com"))
                .isEqualTo(Result.of(new TypeLookup.Unknown(List.of())));
    }

    @ParameterizedTest
    @EnumSource
    void server_without_core_types_is_discovered(Form form) {
        failures.put("/api", new Failure.Refused(new Status(404, "NotFound", "none", null)));

        assertThat(found(form, "widgets").group()).isEqualTo("example.com");
        assertThat(resolve(form, "nodes")).isEqualTo(Result.of(new TypeLookup.Unknown(List.of())));
    }

    @Test
    void lookup_in_a_stale_group_fails_instead_of_reporting_an_unknown_type() {
        DiscoveryClient discovery =
                new DiscoveryClient(
                        (path, accept) ->
                                replaced(
                                        document(Form.AGGREGATED, path, accept),
                                        "\"Current\"",
                                        "\"Stale\""));

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

    private ResourceType found(Form form, String name) {
        TypeLookup outcome = Results.value(resolve(form, name));
        assertThat(outcome).isInstanceOf(TypeLookup.Found.class);
        return ((TypeLookup.Found) outcome).type();
    }

    private List<String> similar(Form form, String name) {
        TypeLookup outcome = Results.value(resolve(form, name));
        assertThat(outcome).isInstanceOf(TypeLookup.Unknown.class);
        return ((TypeLookup.Unknown) outcome).similar();
    }

    private Result<TypeLookup> resolve(Form form, String name) {
        return new DiscoveryClient((path, accept) -> document(form, path, accept))
                .resolve(new ResourceName(name));
    }

    private Result<JsonNode> document(Form form, String path, String accept) {
        asked.add(path);
        if (failures.containsKey(path)) {
            return Result.failed(failures.get(path));
        }
        boolean aggregated = accept.contains("apidiscovery") && form.aggregates(path);
        String file = path.substring(1).replace('/', '.') + (aggregated ? ".aggregated" : "");
        try (InputStream json = DiscoveryClientTest.class.getResourceAsStream(file + ".json")) {
            return Result.of(JsonMapper.shared().readTree(json));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
