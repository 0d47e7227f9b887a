package io.kubemirror.parity;

import module java.base;

import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Derives the expected discovery of mirrored resources from that of the server
 * (list-watch.md#di-5).
 */
final class DiscoveryProjection {

    private DiscoveryProjection() {}

    static Difference difference() {
        return new Difference.Rewritten(
                "discovery tells what is mirrored and that it can be read, and must not be stored",
                original ->
                        original.withBody(DiscoveryProjection::of)
                                .withHeader("cache-control", "no-cache, private")
                                .withHeader("vary", ""));
    }

    private static String of(String body) {
        ObjectNode document = JsonTrees.parse(body);
        ObjectNode projected = JsonTrees.object();
        projected.set("kind", document.path("kind"));
        projected.put("apiVersion", document.path("apiVersion").asString("v1"));
        switch (document.path("kind").asString("")) {
            case "APIGroupList" -> groups(document, projected);
            case "APIResourceList" -> resources(document, projected);
            case String _ -> aggregated(document, projected);
        }
        return JsonTrees.text(projected) + "\n";
    }

    private static void groups(JsonNode document, ObjectNode projected) {
        filter(
                document.path("groups"),
                projected.putArray("groups"),
                group -> mirrors(group.path("name").asString("")),
                group -> group(group, JsonTrees.object()));
    }

    private static JsonNode group(JsonNode group, ObjectNode projected) {
        for (String member : List.of("name", "versions", "preferredVersion")) {
            projected.set(member, group.path(member));
        }
        return projected;
    }

    private static void resources(JsonNode document, ObjectNode projected) {
        String version = document.path("groupVersion").asString("");
        int slash = version.indexOf('/');
        String group = slash < 0 ? "" : version.substring(0, slash);
        projected.put("groupVersion", version);
        filter(
                document.path("resources"),
                projected.putArray("resources"),
                resource -> mirrors(group, resource.path("name").asString("")),
                DiscoveryProjection::readable);
    }

    private static void aggregated(JsonNode document, ObjectNode projected) {
        projected.putObject("metadata");
        filter(
                document.path("items"),
                projected.putArray("items"),
                item -> mirrors(item.at("/metadata/name").asString("")),
                DiscoveryProjection::item);
    }

    private static JsonNode item(JsonNode item) {
        String group = item.at("/metadata/name").asString("");
        ObjectNode projected = JsonTrees.object();
        ObjectNode metadata = projected.putObject("metadata");
        if (!group.isEmpty()) {
            metadata.put("name", group);
        }
        ArrayNode versions = projected.putArray("versions");
        for (JsonNode version : item.path("versions")) {
            ObjectNode one = versions.addObject();
            one.set("version", version.path("version"));
            filter(
                    version.path("resources"),
                    one.putArray("resources"),
                    resource -> mirrors(group, resource.path("resource").asString("")),
                    resource -> withKind(readable(resource), group, version.path("version")));
            one.set("freshness", version.path("freshness"));
        }
        return projected;
    }

    /** An empty group or version of a kind means that of its parent (list-watch.md#di-8). */
    private static JsonNode withKind(ObjectNode resource, String group, JsonNode version) {
        ObjectNode kind = resource.withObject("responseKind");
        kind.put("group", group);
        kind.set("version", version);
        return resource;
    }

    private static void filter(
            JsonNode from,
            ArrayNode to,
            Predicate<JsonNode> wanted,
            UnaryOperator<JsonNode> change) {
        from.valueStream()
                .filter(wanted)
                .map(change)
                .sorted(Comparator.comparing(DiscoveryProjection::name))
                .forEach(to::add);
    }

    /** The order of custom resources on the server is undefined. */
    private static String name(JsonNode entry) {
        return entry.path("name").asString("")
                + entry.path("resource").asString("")
                + entry.at("/metadata/name").asString("");
    }

    private static boolean mirrors(String group) {
        return ParityObjects.MIRRORED.stream().anyMatch(name -> groupOf(name).equals(group));
    }

    private static boolean mirrors(String group, String plural) {
        return ParityObjects.MIRRORED.contains(group.isEmpty() ? plural : plural + "." + group);
    }

    private static String groupOf(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? "" : name.substring(dot + 1);
    }

    private static ObjectNode readable(JsonNode resource) {
        ObjectNode readable = JsonTrees.parse(JsonTrees.text(resource));
        readable.putArray("verbs").add("get").add("list").add("watch");
        readable.remove(List.of("storageVersionHash", "subresources"));
        return readable;
    }
}
