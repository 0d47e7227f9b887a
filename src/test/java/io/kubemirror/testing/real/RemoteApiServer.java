package io.kubemirror.testing.real;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Manifest;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.RestClient;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** An API server that is accessed over HTTP only. */
public abstract class RemoteApiServer implements ApiServer {

    private static final String DEFINITIONS =
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    @Override
    public abstract URI url();

    @Override
    public ObjectNode create(Manifest manifest) {
        return client().create(manifest);
    }

    @Override
    public ObjectNode replace(Manifest manifest) {
        return client().replace(manifest);
    }

    @Override
    public ObjectNode patch(ResourceType type, String namespace, String name, String mergePatch) {
        return client().write("PATCH", RestClient.object(type, namespace, name), mergePatch);
    }

    @Override
    public ObjectNode patchStatus(
            ResourceType type, String namespace, String name, String mergePatch) {
        String target = RestClient.object(type, namespace, name) + "/status";
        return client().write("PATCH", target, mergePatch);
    }

    @Override
    public void delete(ResourceType type, String namespace, String name) {
        String target = RestClient.object(type, namespace, name) + "?gracePeriodSeconds=0";
        client().write("DELETE", target, null);
    }

    @Override
    public ObjectNode list(ResourceType type) {
        return client().read(type.collectionPath());
    }

    @Override
    public void define(ResourceType type) {
        if (client().get(definitionOf(type)).code() == 404) {
            client().write("POST", DEFINITIONS, JsonTrees.text(definition(type)));
        }
        await(() -> isServed(type));
    }

    @Override
    public void withdraw(ResourceType type) {
        client().send("DELETE", definitionOf(type), null);
        await(() -> !isServed(type) && client().get(definitionOf(type)).code() == 404);
    }

    @Override
    public void serveInstead(ResourceType before, ResourceType after) {
        ObjectNode patch = JsonTrees.object();
        ArrayNode versions = patch.putObject("spec").putArray("versions");
        versions.add(version(before, false));
        versions.add(version(after, true));
        client().write("PATCH", definitionOf(before), JsonTrees.text(patch));
        await(() -> isServed(after) && !isServed(before));
    }

    private boolean isServed(ResourceType type) {
        return client().get(type.collectionPath()).code() == 200
                && client().get("/apis/" + type.apiVersion()).body().contains(type.plural());
    }

    private static String definitionOf(ResourceType type) {
        return DEFINITIONS + "/" + type.plural() + "." + type.group();
    }

    private static ObjectNode definition(ResourceType type) {
        ObjectNode definition =
                JsonTrees.parse(
                        """
                        {"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1"}
                        """);
        definition.withObject("metadata").put("name", type.plural() + "." + type.group());
        ObjectNode spec = definition.withObject("spec").put("group", type.group());
        spec.put("scope", type.namespaced() ? "Namespaced" : "Cluster");
        spec.putArray("versions").add(version(type, true));
        ObjectNode names = spec.putObject("names").put("kind", type.kind());
        names.put("plural", type.plural()).put("singular", type.singular());
        type.shortNames().forEach(names.putArray("shortNames")::add);
        return definition;
    }

    private static ObjectNode version(ResourceType type, boolean served) {
        return JsonTrees.parse(
                        """
                        {"schema": {"openAPIV3Schema": {"type": "object",
                          "x-kubernetes-preserve-unknown-fields": true}}}
                        """)
                .put("name", type.version())
                .put("served", served)
                .put("storage", served);
    }

    @Override
    public void ensureNamespace(String name) {
        if (client().get("/api/v1/namespaces/" + name).code() == 404) {
            create(Manifests.namespace(name));
        }
    }

    @Override
    public long revision() {
        return JsonTrees.revision(client().get("/api/v1/namespaces?limit=1").json());
    }

    /** Waits until a condition of the server is true. */
    abstract void await(java.util.function.BooleanSupplier ready);
}
