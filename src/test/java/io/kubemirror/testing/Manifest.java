package io.kubemirror.testing;

import io.kubemirror.model.ResourceType;

import tools.jackson.databind.node.ObjectNode;

/** A builder of an object to create or replace. Every method changes and returns it. */
public final class Manifest {

    private final ResourceType type;
    private final ObjectNode json = JsonTrees.object();

    Manifest(ResourceType type, String namespace, String name) {
        this.type = type;
        json.put("kind", type.kind()).put("apiVersion", type.apiVersion());
        metadata().put("name", name);
        if (!namespace.isEmpty()) {
            metadata().put("namespace", namespace);
        }
    }

    /** Sets a label. */
    public Manifest label(String key, String value) {
        metadata().withObjectProperty("labels").put(key, value);
        return this;
    }

    /** Sets an annotation. */
    public Manifest annotation(String key, String value) {
        metadata().withObjectProperty("annotations").put(key, value);
        return this;
    }

    /** Sets an entry of {@code data}. */
    public Manifest data(String key, String value) {
        json.withObjectProperty("data").put(key, value);
        return this;
    }

    /** Merges a JSON object into the manifest, as a merge patch would. */
    public Manifest with(String patch) {
        ObjectNode merged = JsonTrees.merge(json, JsonTrees.parse(patch));
        json.removeAll().setAll(merged);
        return this;
    }

    /** The object's type. */
    public ResourceType type() {
        return type;
    }

    /** The object's namespace, empty for cluster scope. */
    public String namespace() {
        return JsonTrees.namespace(json);
    }

    /** The object's name. */
    public String name() {
        return JsonTrees.name(json);
    }

    /** A copy of the object. */
    public ObjectNode json() {
        return json.deepCopy();
    }

    private ObjectNode metadata() {
        return json.withObjectProperty("metadata");
    }
}
