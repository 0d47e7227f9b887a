package io.kubemirror.deploy;

import io.kubemirror.testground.Json;
import io.kubemirror.testground.RestClient;
import io.kubemirror.testground.RestClient.Reply;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Optional;

/**
 * Creates manifests of any kind on an API server, which names each member that its types do not
 * have.
 */
final class Applier {

    private final RestClient client;

    Applier(RestClient client) {
        this.client = client;
    }

    /** Whether the server serves the kind of a manifest. */
    boolean serves(ObjectNode manifest) {
        return collection(manifest).isPresent();
    }

    /** Tries to create an object. */
    Reply create(ObjectNode manifest) {
        String target = collection(manifest).orElseThrow();
        return client.send("POST", target + "?fieldValidation=Strict", Json.text(manifest));
    }

    /** Creates all objects whose kinds the server serves. */
    void apply(Rendered rendered) {
        for (ObjectNode manifest : rendered.manifests()) {
            Reply reply = create(manifest);
            if (reply.code() != 201) {
                throw new AssertionError(Json.text(manifest) + ": " + reply.body());
            }
        }
    }

    private Optional<String> collection(ObjectNode manifest) {
        String version = manifest.path("apiVersion").asString();
        String group = (version.contains("/") ? "/apis/" : "/api/") + version;
        Reply types = client.get(group);
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
        return type.path("namespaced").asBoolean() ? "/namespaces/" + Json.namespace(manifest) : "";
    }
}
