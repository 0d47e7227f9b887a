package io.kubemirror.testing;

import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.scripted.ServedTypes;

/** Builders of common objects with the members that a real server requires. */
public final class Manifests {

    private Manifests() {}

    /** A pod with one container. */
    public static Manifest pod(String namespace, String name) {
        return manifest(ServedTypes.PODS, namespace, name)
                .with(
                        """
                        {"spec": {"containers": [{"name": "main", "image": "example.com/main:1"}]}}
                        """);
    }

    /** An empty config map. */
    public static Manifest configMap(String namespace, String name) {
        return manifest(ServedTypes.CONFIGMAPS, namespace, name);
    }

    /** A secret with nothing in it. */
    public static Manifest secret(String namespace, String name) {
        return manifest(ServedTypes.SECRETS, namespace, name);
    }

    /** A namespace. */
    public static Manifest namespace(String name) {
        return manifest(ServedTypes.NAMESPACES, "", name);
    }

    /** A node. */
    public static Manifest node(String name) {
        return manifest(ServedTypes.NODES, "", name);
    }

    /** A deployment of the pods labeled {@code app: <name>}. */
    public static Manifest deployment(String namespace, String name, int replicas) {
        return manifest(ServedTypes.DEPLOYMENTS, namespace, name)
                .with(
                        """
                        {"spec": {"replicas": %d,
                          "selector": {"matchLabels": {"app": "%s"}},
                          "template": {"metadata": {"labels": {"app": "%s"}},
                            "spec": {"containers": [{"name": "main", "image": "example.com/main:1"}]}}}}
                        """
                                .formatted(replicas, name, name));
    }

    /** A custom resource with a size. */
    public static Manifest widget(String namespace, String name, int size) {
        return manifest(ServedTypes.WIDGETS, namespace, name)
                .with("{\"spec\": {\"size\": %d}}".formatted(size));
    }

    /** An object with a name only; an empty namespace means cluster scope. */
    public static Manifest manifest(ResourceType type, String namespace, String name) {
        return new Manifest(type, namespace, name);
    }
}
