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

    /**
     * A condition of a row.
     *
     * @param type the type, such as {@code Completed}
     * @param status {@code True}
     * @param reason the reason in one word
     * @param message the reason as readable text
     */
    public record RowCondition(String type, String status, String reason, String message) {}

    /** Creates a format without row conditions. */
    static TableFormat of(Stream<Column> columns) {
        return new TableFormat(columns.toList(), _ -> Optional.empty());
    }

    /**
     * Returns the format of types without their own columns: the name and the creation time of each
     * object (list-watch.md#ne-20).
     */
    public static TableFormat plain() {
        Column created = Column.text("Created At", "/metadata/creationTimestamp").typed("date");
        return of(Stream.of(Column.named(), created).map(column -> column.described("*")));
    }

    /**
     * Returns the format of numbers of objects (list-watch.md#or-7).
     *
     * @param grouped whether there is one for each of several values
     */
    public static TableFormat ofCounts(boolean grouped) {
        Column count = Column.number("Count", "/count").explained("The number of objects.");
        Column value =
                Column.text("Value", "/value")
                        .explained("The value that these objects have, empty for none.");
        return of(grouped ? Stream.of(value, count) : Stream.of(count));
    }

    /** Returns the cells of the row of an object. */
    public List<@Nullable Object> cells(JsonNode object, Instant now) {
        List<@Nullable Object> cells = new ArrayList<>();
        columns.forEach(column -> cells.add(column.cell().of(object, now)));
        return cells;
    }
}
