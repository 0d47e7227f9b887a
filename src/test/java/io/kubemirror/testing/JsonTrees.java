package io.kubemirror.testing;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Reads, writes, and changes JSON trees in tests. */
public final class JsonTrees {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private JsonTrees() {}

    /** A new, empty object. */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /**
     * Parses an object.
     *
     * @throws IllegalArgumentException if the text is JSON but no object
     */
    public static ObjectNode parse(String text) {
        if (MAPPER.readTree(text) instanceof ObjectNode object) {
            return object;
        }
        throw new IllegalArgumentException("not a JSON object");
    }

    /** The node on one line. */
    public static String text(JsonNode node) {
        return MAPPER.writeValueAsString(node);
    }

    /** The object's revision, 0 if it has none. */
    public static long revision(JsonNode object) {
        return Long.parseLong(object.path("metadata").path("resourceVersion").asString("0"));
    }

    /** The object's namespace, empty if it has none. */
    public static String namespace(JsonNode object) {
        return object.path("metadata").path("namespace").asString("");
    }

    /** The object's name, empty if it has none. */
    public static String name(JsonNode object) {
        return object.path("metadata").path("name").asString("");
    }

    /** The key of the object in its collection: {@code namespace/name}, or the name alone. */
    public static String key(JsonNode object) {
        return key(namespace(object), name(object));
    }

    public static String key(String namespace, String name) {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    /** A copy of the object with another revision. */
    public static ObjectNode withRevision(ObjectNode object, long revision) {
        ObjectNode copy = object.deepCopy();
        copy.withObject("metadata").put("resourceVersion", Long.toString(revision));
        return copy;
    }

    /** Applies a JSON merge patch (RFC 7386) to a copy of the object. */
    public static ObjectNode merge(ObjectNode object, ObjectNode patch) {
        ObjectNode merged = object.deepCopy();
        for (var member : patch.properties()) {
            mergeMember(merged, member.getKey(), member.getValue());
        }
        return merged;
    }

    private static void mergeMember(ObjectNode merged, String name, JsonNode value) {
        if (value.isNull()) {
            merged.remove(name);
        } else if (value instanceof ObjectNode nested) {
            ObjectNode before =
                    merged.get(name) instanceof ObjectNode existing ? existing : object();
            merged.set(name, merge(before, nested));
        } else {
            merged.set(name, value);
        }
    }
}
