package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.widget;
import static io.kubemirror.testing.scripted.ServedTypes.WIDGETS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiSamples;
import io.kubemirror.mirror.UpstreamStatus.State;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.Source;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.TestFiles;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.WithApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Tests that a mirror shows what a changed definition makes of objects whose revision stays
 * (list-watch.md#up-48).
 */
@WithApiServer(own = true)
class RealDefinitionTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    private static final ResourceType SCHEMAS =
            ApiSamples.type("perm.example.com", "v1", "Schema", "schemas");

    private static final String DEFINITIONS =
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String DEFINITION = DEFINITIONS + "/schemas.perm.example.com";
    private static final String SPEC = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";

    private final ApiServer server;

    RealDefinitionTest(ApiServer server) {
        this.server = server;
    }

    @BeforeEach
    void define() {
        server.withdraw(SCHEMAS);
        Awaitility.await().until(() -> server.client().get(DEFINITION).code() == 404);
        String definition = TestFiles.text("app/schemas.json");
        server.client().write("POST", DEFINITIONS, definition);
        Awaitility.await().until(() -> server.client().get(SCHEMAS.collectionPath()).code() == 200);
        Awaitility.await()
                .until(
                        () ->
                                server.client()
                                        .get("/apis/perm.example.com/v1")
                                        .body()
                                        .contains("schemas"));
        for (String name : List.of("a", "b")) {
            server.client()
                    .write(
                            "POST",
                            "/apis/perm.example.com/v1/namespaces/default/schemas",
                            """
                            {"apiVersion": "perm.example.com/v1", "kind": "Schema",
                             "metadata": {"name": "%s"}, "spec": {"color": "<red>", "shape": null, "other": 1}}
                            """
                                    .formatted(name));
        }
    }

    /** Nothing else happens, so that the revision of the mirror is as it was. */
    @ParameterizedTest(name = "{0} {2}")
    @CsvFileSource(
            resources = "/io/kubemirror/app/definition-patches.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void mirror_shows_what_a_changed_definition_makes_of_its_objects(
            String name, String patch, Strategy strategy) {
        try (ReflectorFixture fixture = mirroring(strategy)) {
            FoldingWatcher watcher = new FoldingWatcher(fixture.mirror());
            Map<String, JsonNode> before = served();
            change(patch);
            Awaitility.await().until(() -> !served().equals(before));

            awaitTruth(fixture);
            watcher.readToTheEnd();
        }
    }

    @Test
    void schema_tells_the_version_of_the_server_and_the_state_of_the_definition() {
        Source source = server.connect();
        ResourceCollection schemas = collection(SCHEMAS);
        String before = Results.value(source.schema(schemas));
        String pods = Results.value(source.schema(collection(ServedTypes.PODS)));
        assertThat(before).startsWith(pods + " ").endsWith(" 1");
        assertThat(pods).startsWith("v1.");

        change(add(SPEC + "/properties/size", "{\"type\": \"integer\"}"));

        assertThat(Results.value(source.schema(schemas))).startsWith(pods + " ").endsWith(" 2");
    }

    private static ResourceCollection collection(ResourceType type) {
        return new ResourceCollection(type, Selection.everything(), ObjectShape.plain());
    }

    /** It changes no object, so clients notice nothing. */
    @Test
    void another_storage_version_changes_nothing() {
        try (ReflectorFixture fixture = mirroring(Strategy.AUTO)) {
            FoldingWatcher watcher = new FoldingWatcher(fixture.mirror());
            change(
                    """
                    {"op": "replace", "path": "/spec/versions/0/storage", "value": false},
                    {"op": "replace", "path": "/spec/versions/1/storage", "value": true}
                    """);
            server.client()
                    .write(
                            "POST",
                            "/apis/perm.example.com/v2/namespaces/default/schemas",
                            """
                            {"apiVersion": "perm.example.com/v2", "kind": "Schema",
                             "metadata": {"name": "c"}}
                            """);
            watcher.readUntil(fixture.truth());
            assertThat(watcher.seen()).containsExactly("ADDED default/c");
            awaitTruth(fixture);
        }
    }

    /** The objects are stored in version 1, so that they cannot be read any more in version 2. */
    @Test
    void mirror_is_not_synced_while_conversion_fails() {
        try (ReflectorFixture fixture = mirroring(Strategy.AUTO)) {
            change(
                    """
                    {"op": "replace", "path": "/spec/versions/0/storage", "value": false},
                    {"op": "replace", "path": "/spec/versions/1/storage", "value": true},
                    {"op": "replace", "path": "/spec/conversion", "value": {"strategy": "Webhook",
                      "webhook": {"conversionReviewVersions": ["v1"],
                        "clientConfig": {"url": "https://127.0.0.1:1/convert"}}}}
                    """);
            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> fixture.mirror().upstream().state() != State.SYNCED);
            change(
                    "{\"op\": \"replace\", \"path\": \"/spec/conversion\", \"value\":"
                            + " {\"strategy\": \"None\"}}");
            awaitTruth(fixture);
        }
    }

    private ReflectorFixture mirroring(Strategy strategy) {
        return ReflectorFixture.of(server, SCHEMAS, strategy).synced();
    }

    private static String add(String path, String value) {
        return "{\"op\": \"add\", \"path\": \"%s\", \"value\": %s}".formatted(path, value);
    }

    private void change(String patches) {
        var response =
                server.client()
                        .patch(DEFINITION, "application/json-patch+json", "[" + patches + "]");
        assertThat(response.code()).as(response.body()).isEqualTo(200);
    }

    private void awaitTruth(ReflectorFixture fixture) {
        Awaitility.await()
                .atMost(SOON)
                .untilAsserted(
                        () -> {
                            assertThat(mirrored(fixture)).isEqualTo(served());
                            assertThat(fixture.mirror().upstream().state()).isEqualTo(State.SYNCED);
                        });
    }

    private Map<String, JsonNode> served() {
        Map<String, JsonNode> objects = new TreeMap<>();
        for (JsonNode item : server.list(SCHEMAS).path("items")) {
            ((ObjectNode) item).remove(List.of("apiVersion", "kind"));
            objects.put(JsonTrees.key(item), item);
        }
        return objects;
    }

    private static Map<String, JsonNode> mirrored(ReflectorFixture fixture) {
        Map<String, JsonNode> objects = new TreeMap<>();
        fixture.mirror()
                .snapshot()
                .orElseThrow()
                .objects()
                .forEach(
                        object ->
                                objects.put(
                                        object.key().path(),
                                        JsonTrees.parse(
                                                new String(
                                                        object.json(), StandardCharsets.UTF_8))));
        return objects;
    }

    private static final String WIDGET_DEFINITION = DEFINITIONS + "/widgets.example.com";

    /** As {@code kubectl replace --force} does, so that no list gets 404. */
    @ParameterizedTest
    @EnumSource(names = {"AUTO", "LIST_WATCH"})
    void replaced_definition_changes_kind_and_scope_without_a_restart(Strategy strategy) {
        ResourceType gadgets =
                new ResourceType(
                        "example.com", "v1", "Gadget", "widgets", "", false, List.of(), List.of());
        server.withdraw(WIDGETS);
        server.define(WIDGETS);
        server.ensureNamespace("a");
        server.create(widget("a", "x", 3));
        try (ReflectorFixture fixture = ReflectorFixture.of(server, WIDGETS, strategy).synced()) {
            ObjectNode definition = server.client().get(WIDGET_DEFINITION).json();
            definition.withObject("metadata").removeAll().put("name", "widgets.example.com");
            definition.remove("status");
            definition.withObject("spec").put("scope", "Cluster");
            definition
                    .withObject("spec")
                    .putObject("names")
                    .put("kind", "Gadget")
                    .put("plural", "widgets");
            server.client().send("DELETE", WIDGET_DEFINITION, null);
            WaitLimit.until(
                    () ->
                            server.client().send("POST", DEFINITIONS, definition.toString()).code()
                                    == 201);

            WaitLimit.until(
                    () -> fixture.mirror().type().filter(type -> !type.namespaced()).isPresent());
            fixture.awaitConsistency(() -> fixture.truth(gadgets));
        }
    }
}
