package io.kubemirror.api.encode.table;

import io.kubemirror.upstream.ResourceDefinition.PrinterColumn;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.NullNode;

import java.time.Duration;
import java.time.Instant;

/** Creates the columns that the definition of a custom resource declares (list-watch.md#ne-21). */
final class CustomColumn {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private CustomColumn() {}

    static Column of(PrinterColumn column) {
        JsonPath path = JsonPath.parse(column.jsonPath());
        String type = column.type();
        return new Column(
                column.name(),
                type,
                column.format(),
                column.description(),
                column.priority(),
                (object, now) ->
                        path.first(object)
                                .map(value -> cell(type, value, now))
                                .orElse(NullNode.getInstance()));
    }

    /**
     * Returns the cell for a value. A value of another type than that of the column yields an empty
     * cell.
     */
    private static JsonNode cell(String type, JsonNode value, Instant now) {
        return switch (type) {
            case "string" -> JSON.stringNode(text(value));
            case "integer" ->
                    value.isIntegralNumber()
                            ? value
                            : value.isNumber()
                                    ? JSON.numberNode((long) value.asDouble())
                                    : NullNode.getInstance();
            case "number" -> value.isNumber() ? value : NullNode.getInstance();
            case "boolean" -> value.isBoolean() ? value : NullNode.getInstance();
            case "date" ->
                    value.isString()
                            ? JSON.stringNode(age(value.asString(), now))
                            : NullNode.getInstance();
            default -> NullNode.getInstance();
        };
    }

    private static String text(JsonNode value) {
        return value.isNull()
                ? "<no value>"
                : value.isString() ? value.asString() : value.toString();
    }

    private static String age(String timestamp, Instant now) {
        return HumanDuration.parse(timestamp)
                .map(time -> HumanDuration.of(Duration.between(time, now)))
                .orElse("<invalid>");
    }
}
