package io.kubemirror.testing;

import module java.base;

import io.kubemirror.model.ResourceType;

import tools.jackson.databind.node.ObjectNode;

/**
 * An object of a built-in type, and the cells of its row in a table of a whole API server.
 *
 * @param type the type; its kind is not known
 * @param object the object, without a name for a bookmark
 * @param cells the cells on the day after its creation
 */
public record TableCase(ResourceType type, ObjectNode object, String cells) {

    private static final Path FILE =
            Path.of("src/test/resources/io/kubemirror/feature/table/cells.txt");

    /** Returns all cases. */
    public static List<TableCase> all() {
        return Unchecked.call(() -> Files.readAllLines(FILE)).stream()
                .filter(line -> line.contains(" | "))
                .map(line -> of(line.split(" \\| ", -1)))
                .toList();
    }

    private static TableCase of(String... parts) {
        List<String> names = List.of(parts[1].split("/"));
        ObjectNode object = JsonTrees.parse(parts[2].replace('\'', '"'));
        if (!parts[1].isEmpty()) {
            ObjectNode metadata = object.withObject("metadata").put("name", names.getLast());
            metadata.put("creationTimestamp", "2026-01-01T00:00:00Z");
            if (names.size() > 1) {
                metadata.put("namespace", names.getFirst());
            }
        }
        return new TableCase(type(("/" + parts[0]).split("/")), object, parts[3]);
    }

    private static ResourceType type(String... path) {
        String plural = path[path.length - 1];
        String version = path[path.length - 2];
        return new ResourceType(
                path[path.length - 3], version, "Kind", plural, "", true, List.of(), List.of());
    }

    /** Returns the path of the object. */
    public String path() {
        return RestClient.object(type, JsonTrees.namespace(object), JsonTrees.name(object));
    }

    @Override
    public String toString() {
        return type.groupResource() + " " + JsonTrees.name(object);
    }
}
