package io.kubemirror.model;

import module java.base;

import io.kubemirror.testing.KubeObjects;

/** Objects and types to try the model on. */
final class ModelSamples {

    private ModelSamples() {}

    static KubeObject pod(String key, Map<String, String> labels, Map<String, String> fields) {
        return pod(key, "1", labels, fields);
    }

    static KubeObject pod(
            String key, String revision, Map<String, String> labels, Map<String, String> fields) {
        return KubeObjects.object(key, Long.parseLong(revision)).with(labels, fields);
    }

    /** A namespaced type. */
    static ResourceType namespaced(String group, String plural) {
        return type(group, plural, true);
    }

    /** A type of cluster scope. */
    static ResourceType clusterScoped(String group, String plural) {
        return type(group, plural, false);
    }

    private static ResourceType type(String group, String plural, boolean namespaced) {
        return new ResourceType(group, "v1", "Kind", plural, "", namespaced, List.of(), List.of());
    }
}
