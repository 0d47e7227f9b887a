package io.kubemirror.deploy;

import module java.base;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Creates objects of any kind on an API server, which reports members that its types do not have.
 */
final class ManifestApplier {

    private final RestClient client;

    ManifestApplier(RestClient client) {
        this.client = client;
    }

    /** Whether the server serves the kind of a manifest. */
    boolean serves(ObjectNode manifest) {
        return collection(manifest).isPresent();
    }

    /** Tries to create an object. */
    RestResponse create(ObjectNode manifest) {
        String target = collection(manifest).orElseThrow();
        return client.send("POST", target + "?fieldValidation=Strict", JsonTrees.text(manifest));
    }

    /** Creates all objects whose kinds the server serves. */
    void apply(RenderedChart rendered) {
        for (ObjectNode manifest : rendered.manifests()) {
            RestResponse reply = create(manifest);
            if (reply.code() != 201) {
                throw new AssertionError(JsonTrees.text(manifest) + ": " + reply.body());
            }
        }
    }

    private Optional<String> collection(ObjectNode manifest) {
        String version = manifest.path("apiVersion").asString();
        String group = (version.contains("/") ? "/apis/" : "/api/") + version;
        RestResponse types = client.get(group);
        return types.code() == 200 ? path(group, types.json(), manifest) : Optional.empty();
    }

    private static Optional<String> path(String group, JsonNode types, ObjectNode manifest) {
        return types.path("resources")
                .valueStream()
                .filter(type -> type.path("kind").equals(manifest.path("kind")))
                .filter(type -> !type.path("name").asString().contains("/"))
                .map(type -> group + owner(type, manifest) + "/" + type.path("name").asString())
                .findFirst();
    }

    private static String owner(JsonNode type, ObjectNode manifest) {
        return type.path("namespaced").asBoolean()
                ? "/namespaces/" + JsonTrees.namespace(manifest)
                : "";
    }
}
