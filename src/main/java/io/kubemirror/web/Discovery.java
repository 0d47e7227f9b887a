package io.kubemirror.web;

import io.kubemirror.model.ResourceType;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The discovery documents: exactly the types that are mirrored and known (DI-1 to DI-8).
 *
 * <p>They are made anew for each request, since clients keep them for hours and types become known
 * one after the other.
 */
final class Discovery {

    private static final JsonFactory JSON = new JsonFactory();
    private static final List<String> VERBS = List.of("get", "list", "watch");

    private final MirrorDirectory directory;

    Discovery(MirrorDirectory directory) {
        this.directory = directory;
    }

    /** Whether what is missing in the documents will be missing later too. */
    boolean isComplete() {
        return directory.isComplete();
    }

    /**
     * The document of {@code /api} (DI-1).
     *
     * @param server this server's address and port
     */
    byte[] versions(String server) {
        return document(
                json -> {
                    json.writeStringProperty("kind", "APIVersions");
                    strings("versions", List.of("v1"), json);
                    json.writeArrayPropertyStart("serverAddressByClientCIDRs");
                    json.writeStartObject();
                    json.writeStringProperty("clientCIDR", "0.0.0.0/0");
                    json.writeStringProperty("serverAddress", server);
                    json.writeEndObject();
                    json.writeEndArray();
                });
    }

    /** The document of {@code /apis} (DI-2). */
    byte[] groups() {
        return document(
                json -> {
                    json.writeStringProperty("kind", "APIGroupList");
                    json.writeStringProperty("apiVersion", "v1");
                    json.writeArrayPropertyStart("groups");
                    byGroup(false)
                            .forEach(
                                    (group, types) -> {
                                        json.writeStartObject();
                                        group(group, types, json);
                                        json.writeEndObject();
                                    });
                    json.writeEndArray();
                });
    }

    /** The document of one group (DI-3), empty if nothing of it is mirrored. */
    Optional<byte[]> group(String group) {
        List<ResourceType> types = byGroup(false).getOrDefault(group, List.of());
        return types.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        document(
                                json -> {
                                    json.writeStringProperty("kind", "APIGroup");
                                    json.writeStringProperty("apiVersion", "v1");
                                    group(group, types, json);
                                }));
    }

    /**
     * The document of one version (DI-4), empty if nothing of it is mirrored; core v1 is always
     * there, as clients take its absence for a broken server.
     */
    Optional<byte[]> resources(String group, String version) {
        List<ResourceType> types =
                directory.types().stream()
                        .filter(type -> type.group().equals(group))
                        .filter(type -> type.version().equals(version))
                        .toList();
        if (types.isEmpty() && !(group.isEmpty() && version.equals("v1"))) {
            return Optional.empty();
        }
        String groupVersion = group.isEmpty() ? version : group + "/" + version;
        return Optional.of(
                document(
                        json -> {
                            json.writeStringProperty("kind", "APIResourceList");
                            json.writeStringProperty("apiVersion", "v1");
                            json.writeStringProperty("groupVersion", groupVersion);
                            json.writeArrayPropertyStart("resources");
                            types.forEach(type -> resource(type, json));
                            json.writeEndArray();
                        }));
    }

    /**
     * Everything below {@code /api} or below {@code /apis} in one document (DI-6, DI-8).
     *
     * @param core whether that below {@code /api} is meant
     */
    byte[] aggregated(boolean core) {
        return document(
                json -> {
                    json.writeStringProperty("kind", "APIGroupDiscoveryList");
                    json.writeStringProperty("apiVersion", "apidiscovery.k8s.io/v2");
                    json.writeObjectPropertyStart("metadata");
                    json.writeEndObject();
                    json.writeArrayPropertyStart("items");
                    byGroup(core).forEach((group, types) -> aggregatedGroup(group, types, json));
                    json.writeEndArray();
                });
    }

    private Map<String, List<ResourceType>> byGroup(boolean core) {
        return directory.types().stream()
                .filter(type -> type.group().isEmpty() == core)
                .collect(
                        Collectors.groupingBy(
                                ResourceType::group, LinkedHashMap::new, Collectors.toList()));
    }

    private static Map<String, List<ResourceType>> byVersion(List<ResourceType> types) {
        return types.stream()
                .collect(
                        Collectors.groupingBy(
                                ResourceType::version, LinkedHashMap::new, Collectors.toList()));
    }

    private static void group(String group, List<ResourceType> types, JsonGenerator json) {
        List<String> versions = List.copyOf(byVersion(types).keySet());
        json.writeStringProperty("name", group);
        json.writeArrayPropertyStart("versions");
        versions.forEach(
                version -> {
                    json.writeStartObject();
                    version(group, version, json);
                    json.writeEndObject();
                });
        json.writeEndArray();
        json.writeObjectPropertyStart("preferredVersion");
        version(group, versions.getFirst(), json);
        json.writeEndObject();
    }

    private static void version(String group, String version, JsonGenerator json) {
        json.writeStringProperty("groupVersion", group + "/" + version);
        json.writeStringProperty("version", version);
    }

    private static void resource(ResourceType type, JsonGenerator json) {
        json.writeStartObject();
        json.writeStringProperty("name", type.plural());
        json.writeStringProperty("singularName", type.singular());
        json.writeBooleanProperty("namespaced", type.namespaced());
        json.writeStringProperty("kind", type.kind());
        names(type, json);
        json.writeEndObject();
    }

    private static void aggregatedGroup(
            String group, List<ResourceType> types, JsonGenerator json) {
        json.writeStartObject();
        json.writeObjectPropertyStart("metadata");
        if (!group.isEmpty()) {
            json.writeStringProperty("name", group);
        }
        json.writeEndObject();
        json.writeArrayPropertyStart("versions");
        byVersion(types)
                .forEach(
                        (version, resources) -> {
                            json.writeStartObject();
                            json.writeStringProperty("version", version);
                            json.writeArrayPropertyStart("resources");
                            resources.forEach(type -> aggregatedResource(type, json));
                            json.writeEndArray();
                            json.writeStringProperty("freshness", "Current");
                            json.writeEndObject();
                        });
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void aggregatedResource(ResourceType type, JsonGenerator json) {
        json.writeStartObject();
        json.writeStringProperty("resource", type.plural());
        json.writeObjectPropertyStart("responseKind");
        json.writeStringProperty("group", type.group());
        json.writeStringProperty("version", type.version());
        json.writeStringProperty("kind", type.kind());
        json.writeEndObject();
        json.writeStringProperty("scope", type.namespaced() ? "Namespaced" : "Cluster");
        json.writeStringProperty("singularResource", type.singular());
        names(type, json);
        json.writeEndObject();
    }

    private static void names(ResourceType type, JsonGenerator json) {
        strings("verbs", VERBS, json);
        if (!type.shortNames().isEmpty()) {
            strings("shortNames", type.shortNames(), json);
        }
        if (!type.categories().isEmpty()) {
            strings("categories", type.categories(), json);
        }
    }

    private static void strings(String name, List<String> values, JsonGenerator json) {
        json.writeArrayPropertyStart(name);
        values.forEach(json::writeString);
        json.writeEndArray();
    }

    private static byte[] document(Consumer<JsonGenerator> members) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), bytes)) {
            json.writeStartObject();
            members.accept(json);
            json.writeEndObject();
        }
        bytes.write('\n');
        return bytes.toByteArray();
    }
}
