package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Answers discovery, aggregated and plain (list-watch.md#di-1 to #di-8). */
final class DiscoveryHandler {

    private static final String AGGREGATED =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    private static final List<String> VERBS =
            List.of("create", "delete", "get", "list", "patch", "update", "watch");

    private final ResourceStore store;

    DiscoveryHandler(ResourceStore store) {
        this.store = store;
    }

    void discover(ReceivedRequest request, ScriptedResponse answer) throws IOException {
        Route route = request.route();
        boolean core = request.path().startsWith("/api/") || request.path().equals("/api");
        switch (route.place()) {
            case ROOT -> root(request, core, answer);
            case GROUP -> answer.json(200, group(route.group(), served(route.group())));
            case VERSION -> answer.json(200, version(route));
            case RESOURCE, OTHER -> throw StatusException.noRoute();
        }
    }

    private void root(ReceivedRequest request, boolean core, ScriptedResponse answer)
            throws IOException {
        boolean aggregated = isAggregated(request.header("Accept"));
        if (aggregated) {
            answer.send(200, AGGREGATED, JsonTrees.text(aggregated(core)) + "\n");
        } else {
            answer.json(200, core ? versions() : groups());
        }
    }

    private static boolean isAggregated(String accept) {
        return accept.contains("g=apidiscovery.k8s.io")
                && accept.contains("as=APIGroupDiscoveryList")
                && accept.matches(".*v=v2(;.*|,.*|$)");
    }

    private static ObjectNode versions() {
        ObjectNode json = JsonTrees.object().put("kind", "APIVersions");
        json.putArray("versions").add("v1");
        json.putArray("serverAddressByClientCIDRs");
        return json;
    }

    private ObjectNode groups() {
        ObjectNode json = JsonTrees.object().put("kind", "APIGroupList").put("apiVersion", "v1");
        ArrayNode groups = json.putArray("groups");
        byGroup()
                .forEach(
                        (name, types) -> {
                            if (!name.isEmpty()) {
                                ObjectNode group = group(name, types);
                                group.remove(List.of("kind", "apiVersion"));
                                groups.add(group);
                            }
                        });
        return json;
    }

    private static ObjectNode group(String name, List<ResourceType> types) {
        ObjectNode group = JsonTrees.object().put("kind", "APIGroup").put("apiVersion", "v1");
        group.put("name", name);
        ArrayNode versions = group.putArray("versions");
        types.stream()
                .map(ResourceType::version)
                .distinct()
                .forEach(version -> versions.add(groupVersion(name, version)));
        group.set("preferredVersion", versions.get(0));
        return group;
    }

    private static ObjectNode groupVersion(String group, String version) {
        return JsonTrees.object()
                .put("groupVersion", group + "/" + version)
                .put("version", version);
    }

    private ObjectNode version(Route route) {
        List<ResourceType> types =
                served(route.group()).stream()
                        .filter(type -> type.version().equals(route.version()))
                        .toList();
        if (types.isEmpty()) {
            throw StatusException.noRoute();
        }
        ObjectNode json = JsonTrees.object().put("kind", "APIResourceList").put("apiVersion", "v1");
        json.put("groupVersion", types.getFirst().apiVersion());
        ArrayNode resources = json.putArray("resources");
        types.forEach(type -> putResource(resources.addObject(), type));
        return json;
    }

    private static void putResource(ObjectNode json, ResourceType type) {
        json.put("name", type.plural())
                .put("singularName", type.singular())
                .put("namespaced", type.namespaced())
                .put("kind", type.kind());
        putNames(json, type);
    }

    private static void putNames(ObjectNode json, ResourceType type) {
        VERBS.forEach(json.putArray("verbs")::add);
        if (!type.shortNames().isEmpty()) {
            type.shortNames().forEach(json.putArray("shortNames")::add);
        }
        if (!type.categories().isEmpty()) {
            type.categories().forEach(json.putArray("categories")::add);
        }
    }

    private ObjectNode aggregated(boolean core) {
        ObjectNode json =
                JsonTrees.object()
                        .put("kind", "APIGroupDiscoveryList")
                        .put("apiVersion", "apidiscovery.k8s.io/v2");
        json.putObject("metadata");
        ArrayNode items = json.putArray("items");
        byGroup()
                .forEach(
                        (name, types) -> {
                            if (name.isEmpty() == core) {
                                putGroup(items.addObject(), name, types);
                            }
                        });
        return json;
    }

    private static void putGroup(ObjectNode json, String name, List<ResourceType> types) {
        ObjectNode metadata = json.putObject("metadata");
        if (!name.isEmpty()) {
            metadata.put("name", name);
        }
        Map<String, ArrayNode> resources = new LinkedHashMap<>();
        ArrayNode versions = json.putArray("versions");
        for (ResourceType type : types) {
            ArrayNode list =
                    resources.computeIfAbsent(
                            type.version(), version -> putVersion(versions.addObject(), version));
            putAggregated(list.addObject(), type);
        }
    }

    private static ArrayNode putVersion(ObjectNode json, String version) {
        json.put("version", version);
        ArrayNode resources = json.putArray("resources");
        json.put("freshness", "Current");
        return resources;
    }

    private static void putAggregated(ObjectNode json, ResourceType type) {
        json.put("resource", type.plural());
        json.putObject("responseKind")
                .put("group", type.builtIn() ? "" : type.group())
                .put("version", type.builtIn() ? "" : type.version())
                .put("kind", type.kind());
        json.put("scope", type.namespaced() ? "Namespaced" : "Cluster");
        json.put("singularResource", type.singular());
        putNames(json, type);
    }

    private List<ResourceType> served(String group) {
        List<ResourceType> types =
                store.types().stream().filter(type -> type.group().equals(group)).toList();
        if (types.isEmpty()) {
            throw StatusException.noRoute();
        }
        return types;
    }

    private Map<String, List<ResourceType>> byGroup() {
        Map<String, List<ResourceType>> groups = new LinkedHashMap<>();
        for (ResourceType type : store.types()) {
            groups.computeIfAbsent(type.group(), group -> new java.util.ArrayList<>()).add(type);
        }
        return groups;
    }
}
