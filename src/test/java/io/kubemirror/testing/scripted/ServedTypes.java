package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.model.ResourceType;

/** The resource types that a {@link ScriptedApiServer} serves by default. */
public final class ServedTypes {

    /** Core pods. */
    public static final ResourceType PODS = core("Pod", "pods", true, List.of("po"), "all");

    /** Core config maps. */
    public static final ResourceType CONFIGMAPS =
            core("ConfigMap", "configmaps", true, List.of("cm"));

    /** Core secrets. */
    public static final ResourceType SECRETS = core("Secret", "secrets", true, List.of());

    /** Core services. */
    public static final ResourceType SERVICES =
            core("Service", "services", true, List.of("svc"), "all");

    /** Core nodes, of cluster scope. */
    public static final ResourceType NODES = core("Node", "nodes", false, List.of("no"));

    /** Core namespaces, of cluster scope. */
    public static final ResourceType NAMESPACES =
            core("Namespace", "namespaces", false, List.of("ns"));

    /** Deployments of the built-in group {@code apps}. */
    public static final ResourceType DEPLOYMENTS =
            new ResourceType(
                    "apps",
                    "v1",
                    "Deployment",
                    "deployments",
                    "deployment",
                    true,
                    List.of("deploy"),
                    List.of("all"));

    /** A custom resource type. */
    public static final ResourceType WIDGETS = widgets("v1");

    /** The same custom resource type in another version. */
    public static final ResourceType WIDGETS_V2 = widgets("v2");

    private ServedTypes() {}

    /** What is served at first, in the order in which discovery names it. */
    public static List<ResourceType> all() {
        return List.of(
                CONFIGMAPS, NAMESPACES, NODES, PODS, SECRETS, SERVICES, DEPLOYMENTS, WIDGETS);
    }

    /** The custom resource type in a version. */
    public static ResourceType widgets(String version) {
        List<String> names = List.of("wd");
        return new ResourceType(
                "example.com", version, "Widget", "widgets", "widget", true, names, List.of());
    }

    private static ResourceType core(
            String kind,
            String plural,
            boolean namespaced,
            List<String> shortNames,
            String... categories) {
        String singular = plural.substring(0, plural.length() - 1);
        return new ResourceType(
                "", "v1", kind, plural, singular, namespaced, shortNames, List.of(categories));
    }
}
