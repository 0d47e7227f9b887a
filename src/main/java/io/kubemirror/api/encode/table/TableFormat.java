package io.kubemirror.api.encode.table;

import tools.jackson.databind.JsonNode;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The columns of a type, and what its rows say beside them.
 *
 * @param columns the columns
 * @param condition what is to be known of an object's row
 */
public record TableFormat(
        List<Column> columns, Function<JsonNode, Optional<RowCondition>> condition) {

    /** Copies the list. */
    public TableFormat {
        columns = List.copyOf(columns);
    }

    /**
     * Something to know of a row beside its cells.
     *
     * @param type what it is about, such as {@code Completed}
     * @param status {@code True}
     * @param reason why, in one word
     * @param message why, for people
     */
    public record RowCondition(String type, String status, String reason, String message) {}

    /** A format whose rows are nothing but cells. */
    static TableFormat of(Stream<Column> columns) {
        return new TableFormat(columns.toList(), _ -> Optional.empty());
    }

    /** A format of a built-in resource, with the API server's descriptions of its columns. */
    static TableFormat of(String resource, Column... columns) {
        return of(Stream.of(columns).map(column -> column.described(resource)));
    }

    /**
     * The format of types that have no columns of their own: the name and the creation time of each
     * object (list-watch.md#ne-20).
     */
    public static TableFormat plain() {
        Column created = Column.text("Created At", "/metadata/creationTimestamp").typed("date");
        return of("*", Column.named(), created);
    }

    /** The cells of an object's row. */
    public List<JsonNode> cells(JsonNode object, Instant now) {
        return columns.stream().map(column -> column.cell().of(object, now)).toList();
    }
}
