package io.kubemirror.feature.table;

import io.kubemirror.api.http.JsonPath;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.DefinitionApi.ResourceDefinition.PrinterColumn;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Provides the formats of types whose columns are known (list-watch.md#ne-20 to #ne-22). */
public final class TableFormats {

    private static final Map<String, TableFormat> BUILT_IN =
            Map.ofEntries(
                    Map.entry("pods", WorkloadTables.pods()),
                    Map.entry("services", NetworkTables.services()),
                    Map.entry("nodes", NodeTable.format()),
                    Map.entry("namespaces", namespaces()),
                    Map.entry("configmaps", configMaps()),
                    Map.entry("secrets", secrets()),
                    Map.entry("events", EventTable.format()),
                    Map.entry("deployments.apps", WorkloadTables.deployments()),
                    Map.entry("replicasets.apps", WorkloadTables.replicaSets()),
                    Map.entry("jobs.batch", WorkloadTables.jobs()),
                    Map.entry("endpointslices.discovery.k8s.io", NetworkTables.endpointSlices()));

    private static final PrinterColumn AGE =
            new PrinterColumn(
                    "Age",
                    "date",
                    "",
                    Column.description("*", "Age"),
                    0,
                    ".metadata.creationTimestamp");

    private TableFormats() {}

    /** Returns the format of a built-in type, empty if its columns are not known. */
    public static Optional<TableFormat> ofBuiltIn(ResourceType type) {
        return Optional.ofNullable(BUILT_IN.get(type.groupResource()));
    }

    /**
     * Returns the format of a custom resource. Without declared columns, it shows the age.
     *
     * @param columns the columns that the definition declares
     */
    public static TableFormat ofCustom(List<PrinterColumn> columns) {
        List<PrinterColumn> shown = columns.isEmpty() ? List.of(AGE) : columns;
        return TableFormat.of(
                Stream.concat(
                        Stream.of(Column.named().described("*")),
                        shown.stream().map(TableFormats::custom)));
    }

    private static TableFormat namespaces() {
        return TableFormat.of(
                "namespaces", Column.named(), Column.text("Status", "/status/phase"), Column.age());
    }

    private static TableFormat configMaps() {
        return TableFormat.of(
                "configmaps",
                Column.named(),
                Column.count(
                        "Data", map -> map.path("data").size() + map.path("binaryData").size()),
                Column.age());
    }

    /** Returns the format of secrets, which shows the number of values and never the values. */
    private static TableFormat secrets() {
        return TableFormat.of(
                "secrets",
                Column.named(),
                Column.text("Type", "/type"),
                Column.count("Data", secret -> secret.path("data").size()),
                Column.age());
    }

    /** Returns a column that the definition of a custom resource declares (list-watch.md#ne-21). */
    static Column custom(PrinterColumn column) {
        JsonPath path = JsonPath.parse(column.jsonPath());
        String type = column.type();
        return new Column(
                column.name(),
                type,
                column.format(),
                column.description(),
                column.priority(),
                (object, now) ->
                        path.first(object).map(value -> cell(type, value, now)).orElse(null));
    }

    /**
     * Returns the cell for a value. A value of another type than that of the column yields an empty
     * cell.
     */
    private static @Nullable Object cell(String type, JsonNode value, Instant now) {
        return switch (type) {
            case "string" -> text(value);
            case "integer" -> value.isIntegralNumber() ? value : truncated(value);
            case "number" -> value.isNumber() ? value : null;
            case "boolean" -> value.isBoolean() ? value : null;
            case "date" -> value.isString() ? age(value.asString(), now) : null;
            default -> null;
        };
    }

    private static @Nullable Long truncated(JsonNode value) {
        return value.isNumber() ? (long) value.asDouble() : null;
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
