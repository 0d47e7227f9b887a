package io.kubemirror.feature.table;

import module java.base;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

/**
 * The columns of a type, and the conditions of its rows.
 *
 * @param columns the columns
 * @param condition returns the condition of the row of an object
 */
public record TableFormat(
        List<Column> columns, Function<JsonNode, Optional<RowCondition>> condition) {

    /** Copies the list. */
    public TableFormat {
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
    public record RowCondition(String type, String status, String reason, String message) {}

    /** Returns the cells of the row of an object. */
    public List<@Nullable Object> cells(JsonNode object, Instant now) {
        List<@Nullable Object> cells = new ArrayList<>();
        columns.forEach(column -> cells.add(column.cell().of(object, now)));
        return cells;
    }
}
