package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.widget;
import static io.kubemirror.testing.scripted.ServedTypes.WIDGETS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.node.ObjectNode;

/** A mirror follows the definition of its custom resource, which may change at any time. */
@WithApiServer(own = true)
class ChangedDefinitionTest {

    private static final String DEFINITIONS =
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    private static final String DEFINITION = DEFINITIONS + "/widgets.example.com";

    private final ApiServer server;

    ChangedDefinitionTest(ApiServer server) {
        this.server = server;
    }

    @BeforeEach
    void define_widgets() {
        server.withdraw(WIDGETS);
        server.define(WIDGETS);
        server.ensureNamespace("a");
        server.create(widget("a", "x", 3));
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "LIST_WATCH"})
    void new_selectable_field_is_known_without_a_restart(Strategy strategy) {
        try (ReflectorFixture fixture = ReflectorFixture.of(server, WIDGETS, strategy).synced()) {
            String fields =
                    "[{\"op\": \"add\", \"path\": \"/spec/versions/0/selectableFields\", \"value\":"
                            + " [{\"jsonPath\": \".spec.size\"}]},{\"op\": \"replace\", \"path\":"
                            + " \"/spec/versions/0/schema/openAPIV3Schema\",\"value\": {\"type\":"
                            + " \"object\", \"properties\": {\"spec\": {\"type\": \"object\","
                            + " \"properties\": {\"size\": {\"type\": \"integer\"}}}}}}]";
            RestResponse reply =
                    server.client().patch(DEFINITION, "application/json-patch+json", fields);
            assertThat(reply.code()).as(reply.body()).isEqualTo(200);

            WaitLimit.until(
                    () ->
                            fixture.mirror().declaredFields().fields().stream()
                                    .anyMatch(SelectableField.at(".spec.size")::equals));
            fixture.awaitConsistency(fixture::truth);
        }
    }

    /** As {@code kubectl replace --force} does, so that no list gets 404. */
    @ParameterizedTest
    @EnumSource(names = {"AUTO", "LIST_WATCH"})
    void replaced_definition_changes_kind_and_scope_without_a_restart(Strategy strategy) {
        ResourceType gadgets =
                new ResourceType(
                        "example.com", "v1", "Gadget", "widgets", "", false, List.of(), List.of());
        try (ReflectorFixture fixture = ReflectorFixture.of(server, WIDGETS, strategy).synced()) {
            ObjectNode definition = server.client().get(DEFINITION).json();
            definition.withObject("metadata").removeAll().put("name", "widgets.example.com");
            definition.remove("status");
            definition.withObject("spec").put("scope", "Cluster");
            definition
                    .withObject("spec")
                    .putObject("names")
                    .put("kind", "Gadget")
                    .put("plural", "widgets");
            server.client().send("DELETE", DEFINITION, null);
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
