package io.kubemirror.feature.table;

import module java.base;

import com.fasterxml.jackson.annotation.JsonIgnore;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * The columns of a type, and the conditions of its rows.
 *
 * @param columns the columns
 * @param condition returns the condition of the row of an object
 */
record TableFormat(List<Column> columns, Function<JsonNode, Optional<RowCondition>> condition) {

    /** Copies the list. */
    TableFormat {
        columns = List.copyOf(columns);
    }

    /** Creates a format without row conditions. */
    TableFormat(List<Column> columns) {
        this(columns, _ -> Optional.empty());
    }

    /**
     * A condition of a row.
     *
     * @param type the type, such as {@code Completed}
     * @param status {@code True}
     * @param reason the reason in one word
     * @param message the reason as readable text
     */
    record RowCondition(String type, String status, String reason, String message) {}

    /** Returns the cells of the row of an object. */
    List<@Nullable Object> cells(JsonNode object, Instant now) {
        List<@Nullable Object> cells = new ArrayList<>();
        columns.forEach(column -> cells.add(column.cell().of(object, now)));
        return cells;
    }

    /**
     * A column of a table: its definition and the function that computes its cells.
     *
     * @param name the heading
     * @param type the OpenAPI type of the values
     * @param format further details of the type, possibly empty
     * @param description the description of the column
     * @param priority 0 for a column that is always shown, a larger number for one of {@code
     *     kubectl -o wide}
     * @param cell computes the values
     */
    record Column(
            String name,
            String type,
            String format,
            String description,
            int priority,
            @JsonIgnore Cell cell) {

        /** Computes the cell of an object. */
        @FunctionalInterface
        interface Cell {

            /**
             * Returns the value: text, a number, a truth value, or null.
             *
             * @param object the object, or a part of it; a bookmark has only a revision
             * @param now the time from which ages are computed
             */
            @Nullable Object of(JsonNode object, Instant now);

            /** Returns the cell for the part of an object at the first pointer that has one. */
            default Cell at(List<String> pointers) {
                return (object, now) ->
                        of(
                                pointers.stream()
                                        .map(object::at)
                                        .filter(part -> !part.isMissingNode() && !part.isNull())
                                        .findFirst()
                                        .orElseGet(MissingNode::getInstance),
                                now);
            }
        }
    }
}
