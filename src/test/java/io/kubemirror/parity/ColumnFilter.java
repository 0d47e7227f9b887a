package io.kubemirror.parity;

import module java.base;

import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reduces tables of types that the two servers print differently to what they have in common: the
 * metadata, the definitions of some columns, and of each row the first cell, which is the name, and
 * the object.
 */
final class ColumnFilter {

    private static final int NAME = 0;

    private ColumnFilter() {}

    /**
     * Removes the other columns from a table, or from the tables of a watch.
     *
     * @param kept the names of the columns whose definitions stay
     */
    static String normalized(String body, Set<String> kept) {
        if (!body.startsWith("{\"type\":")) {
            return table(JsonTrees.parse(body), kept);
        }
        return body.lines()
                .map(
                        frame -> {
                            ObjectNode event = JsonTrees.parse(frame);
                            String type = event.path("type").asString("");
                            return type + " " + table((ObjectNode) event.path("object"), kept);
                        })
                .collect(Collectors.joining("\n"));
    }

    private static String table(ObjectNode table, Set<String> kept) {
        if (table.path("columnDefinitions") instanceof ArrayNode definitions) {
            definitions.removeIf(column -> !kept.contains(column.path("name").asString("")));
        }
        ArrayNode rows = JsonTrees.object().putArray("rows");
        table.path("rows").forEach(row -> rows.add(row((ObjectNode) row)));
        table.set("rows", rows);
        return JsonTrees.text(table);
    }

    /** Removes the conditions, which depend on the columns. */
    private static JsonNode row(ObjectNode row) {
        JsonNode name = row.path("cells").path(NAME);
        row.putArray("cells").add(name);
        return row.remove(List.of("conditions"));
    }
}
