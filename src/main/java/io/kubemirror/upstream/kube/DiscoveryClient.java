package io.kubemirror.upstream.kube;

import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.UpstreamApi.TypeLookup;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Discovers the types that the API server serves: from two aggregated documents if the server
 * supports them (list-watch.md#di-6 to #di-8), otherwise from one document for each group and
 * version (list-watch.md#di-1 to #di-4).
 */
final class DiscoveryClient {

    private static final String PLAIN = "application/json";
    private static final String AGGREGATED =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

    private final DocumentSource source;
    private final TypeCatalog catalog = new TypeCatalog();

    /** Creates a client for a single use. */
    DiscoveryClient(DocumentSource source) {
        this.source = source;
    }

    /** Finds the type for a name. */
    Result<TypeLookup> resolve(ResourceName name) {
        try {
            read(source.get("/api", AGGREGATED), source.get("/apis", AGGREGATED));
            return catalog.find(name);
        } catch (DiscoveryException e) {
            return Result.failed(e.failure());
        }
    }

    /**
     * Reads both documents. A server may offer only one of them in the aggregated form
     * (list-watch.md#di-7).
     */
    private void read(JsonNode core, JsonNode groups) throws DiscoveryException {
        if (isAggregated(core) && isAggregated(groups)) {
            readAggregated(core);
            readAggregated(groups);
        } else {
            readPlainCore(isAggregated(core) ? source.get("/api", PLAIN) : core);
            readPlainGroups(isAggregated(groups) ? source.get("/apis", PLAIN) : groups);
        }
    }

    private static boolean isAggregated(JsonNode document) {
        return text(document, "kind").equals("APIGroupDiscoveryList");
    }

    private void readAggregated(JsonNode document) {
        for (JsonNode item : document.path("items")) {
            String group = text(item.path("metadata"), "name");
            for (JsonNode version : item.path("versions")) {
                readVersion(group, version);
            }
        }
    }

    /**
     * Reads a version. If the server of an aggregated API is down, the version is marked as stale,
     * with or without resources.
     */
    private void readVersion(String group, JsonNode node) {
        String version = text(node, "version");
        if (text(node, "freshness").equals("Stale")) {
            String reason = "discovery of " + group + "/" + version + " is stale";
            catalog.addMissing(group, version, new Failure.Unreachable(reason, false));
        }
        for (JsonNode resource : node.path("resources")) {
            String kind = text(resource.path("responseKind"), "kind");
            if (isMirrorable(resource) && !kind.isEmpty()) {
                catalog.add(
                        new ResourceType(
                                group,
                                version,
                                kind,
                                text(resource, "resource"),
                                text(resource, "singularResource"),
                                text(resource, "scope").equals("Namespaced"),
                                texts(resource, "shortNames"),
                                texts(resource, "categories")));
            }
        }
    }

    private void readPlainCore(JsonNode document) {
        for (JsonNode version : document.path("versions")) {
            readPlainVersion("", version.asString(""), "/api/" + version.asString(""));
        }
    }

    private void readPlainGroups(JsonNode document) {
        for (JsonNode group : document.path("groups")) {
            String name = text(group, "name");
            for (String version : versions(group)) {
                readPlainVersion(name, version, "/apis/" + name + "/" + version);
            }
        }
    }

    /** Returns the versions of a group, the preferred one first. */
    private static Iterable<String> versions(JsonNode group) {
        List<String> versions = new ArrayList<>();
        versions.add(text(group.path("preferredVersion"), "version"));
        for (JsonNode version : group.path("versions")) {
            versions.add(text(version, "version"));
        }
        return versions.stream().filter(version -> !version.isEmpty()).distinct().toList();
    }

    private void readPlainVersion(String group, String version, String path) {
        try {
            for (JsonNode resource : source.get(path, PLAIN).path("resources")) {
                String plural = text(resource, "name");
                boolean subresource = plural.contains("/");
                if (isMirrorable(resource) && !subresource) {
                    catalog.add(
                            new ResourceType(
                                    group,
                                    version,
                                    text(resource, "kind"),
                                    plural,
                                    text(resource, "singularName"),
                                    resource.path("namespaced").asBoolean(false),
                                    texts(resource, "shortNames"),
                                    texts(resource, "categories")));
                }
            }
        } catch (DiscoveryException e) {
            catalog.addMissing(group, version, e.failure());
        }
    }

    private static boolean isMirrorable(JsonNode resource) {
        return texts(resource, "verbs").containsAll(Set.of("list", "watch"));
    }

    private static String text(JsonNode node, String name) {
        return node.path(name).asString("");
    }

    private static List<String> texts(JsonNode node, String name) {
        List<String> texts = new ArrayList<>();
        node.path(name).forEach(text -> texts.add(text.asString("")));
        return texts;
    }

    /** Provides the discovery documents. */
    @FunctionalInterface
    interface DocumentSource {

        /**
         * Gets a document.
         *
         * @throws DiscoveryException if the document is not available
         */
        JsonNode get(String path, String accept) throws DiscoveryException;
    }
}
