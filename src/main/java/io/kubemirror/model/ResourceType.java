package io.kubemirror.model;

import module java.base;

/**
 * A resource type as the API server's discovery describes it.
 *
 * @param group the API group, empty for core
 * @param version the version, such as {@code v1}
 * @param kind the kind of its objects
 * @param plural the name in paths
 * @param singular the singular name, which may be empty
 * @param namespaced whether its objects live in namespaces
 * @param shortNames kubectl's abbreviations
 * @param categories groups of types such as {@code all}
 */
public record ResourceType(
        String group,
        String version,
        String kind,
        String plural,
        String singular,
        boolean namespaced,
        List<String> shortNames,
        List<String> categories) {

    /**
     * Groups that are compiled into the API server; custom resource definitions define every other
     * group.
     */
    private static final Set<String> BUILT_IN_GROUPS =
            Set.of(
                    "",
                    "admissionregistration.k8s.io",
                    "apps",
                    "apiextensions.k8s.io",
                    "apiregistration.k8s.io",
                    "authentication.k8s.io",
                    "authorization.k8s.io",
                    "autoscaling",
                    "batch",
                    "certificates.k8s.io",
                    "coordination.k8s.io",
                    "discovery.k8s.io",
                    "events.k8s.io",
                    "extensions",
                    "flowcontrol.apiserver.k8s.io",
                    "internal.apiserver.k8s.io",
                    "networking.k8s.io",
                    "node.k8s.io",
                    "policy",
                    "rbac.authorization.k8s.io",
                    "resource.k8s.io",
                    "scheduling.k8s.io",
                    "storage.k8s.io",
                    "storagemigration.k8s.io");

    /** Copies the lists. */
    public ResourceType {
        shortNames = List.copyOf(shortNames);
        categories = List.copyOf(categories);
    }

    /**
     * Returns whether the API server itself defines the type; the items of its lists then lack
     * {@code kind} and {@code apiVersion} (list-watch.md#en-1).
     */
    public boolean builtIn() {
        return isBuiltIn(group);
    }

    /** Returns whether the API server itself defines a group, empty for core. */
    public static boolean isBuiltIn(String group) {
        return BUILT_IN_GROUPS.contains(group);
    }

    /** Returns {@code group/version}, or the version alone for core. */
    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /**
     * Returns {@code plural.group}, or the plural alone for core, which is how messages name the
     * type.
     */
    public String groupResource() {
        return group.isEmpty() ? plural : plural + "." + group;
    }

    /** Returns the path of the whole collection. */
    public String collectionPath() {
        return collectionPath("");
    }

    /** Returns the path of the collection in one namespace, or of the whole one if it is empty. */
    public String collectionPath(String namespace) {
        return (group.isEmpty() ? "/api/" : "/apis/")
                + apiVersion()
                + (namespace.isEmpty() ? "/" : "/namespaces/" + namespace + "/")
                + plural;
    }
}
