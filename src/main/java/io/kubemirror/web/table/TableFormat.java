package io.kubemirror.web.table;

import tools.jackson.databind.JsonNode;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

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

    /** A format whose rows are nothing but cells. */
    static TableFormat of(Column... columns) {
        return new TableFormat(List.of(columns), _ -> Optional.empty());
    }

    /** What every object has: a name, and the time it was made (NE-20). */
    public static TableFormat plain() {
        return of(Column.named(), Column.createdAt());
    }

    /** The cells of an object's row. */
    public List<JsonNode> cells(JsonNode object, Instant now) {
        return columns.stream().map(column -> column.cell().of(object, now)).toList();
    }
}
