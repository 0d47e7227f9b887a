package io.kubemirror.history;

import module java.base;

import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.JsonNode;

/**
 * A type of the run, and how it is mirrored.
 *
 * @param plural its plural
 * @param name its name as a resource of kubemirror
 * @param group the path of its group and version
 * @param options its further properties, as YAML
 */
record StoredType(String plural, String name, String group, String options) {

    /** The namespaces of all objects. */
    static final List<String> NAMESPACES = List.of("h-a", "h-b");

    /** The number of changes that a mirror keeps, few so that clients miss some. */
    static final int KEPT = 20;

    private static final String PADDING = "x".repeat(1_500);

    static final StoredType CACHED =
            new StoredType("configmaps", "configmaps", "/api/v1", "reads: cache");

    static final StoredType VERIFIED =
            new StoredType("serviceaccounts", "serviceaccounts", "/api/v1", "reads: verify");

    static final StoredType DEMANDED =
            new StoredType(
                    "leases",
                    "leases.coordination.k8s.io",
                    "/apis/coordination.k8s.io/v1",
                    "start: on-demand, idle: 2s");

    /** Updates of the annotation that is left out are events nevertheless. */
    static final StoredType PARTIAL =
            new StoredType(
                    "limitranges",
                    "limitranges",
                    "/api/v1",
                    "drop-fields: [\"metadata.annotations['hidden']\"]");

    static final List<StoredType> ALL = List.of(CACHED, VERIFIED, DEMANDED, PARTIAL);

    /** The line of the configuration. */
    String line() {
        return "    - {resource: %s, %s}\n".formatted(name, options);
    }

    /** The path of the collection. */
    String path(String namespace) {
        return namespace.isEmpty()
                ? group + "/" + plural
                : group + "/namespaces/" + namespace + "/" + plural;
    }

    /** Whether the run writes the object; an API server has some of its own. */
    static boolean isOurs(String namespace) {
        return NAMESPACES.contains(namespace);
    }

    /** The body of a write. Objects of {@link #CACHED} are large, so that slow clients are late. */
    String body(String name, String label, String value) {
        return """
        {"metadata": {"name": "%s", "labels": {"app": "%s"},
                      "annotations": {"v": "%s", "padding": "%s"}}}
        """
                .formatted(name, label, value, equals(CACHED) ? PADDING : "");
    }

    /** The body of an update of what {@link #PARTIAL} leaves out. */
    static String hidden(String value) {
        return """
        {"metadata": {"annotations": {"hidden": "%s"}}}
        """
                .formatted(value);
    }

    /** Reads an object of an answer. */
    static Version version(JsonNode object, boolean deleted) {
        return version(object, JsonTrees.revision(object), 0, deleted);
    }

    /** Reads an object, whose stored text has no revision. */
    static Version version(JsonNode object, long revision, long at, boolean deleted) {
        JsonNode metadata = object.path("metadata");
        return new Version(
                at,
                JsonTrees.key(object),
                metadata.path("uid").asString(""),
                revision,
                metadata.path("annotations").path("v").asString(""),
                metadata.path("labels").path("app").asString(""),
                deleted);
    }
}
