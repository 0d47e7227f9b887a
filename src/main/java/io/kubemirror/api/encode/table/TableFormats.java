package io.kubemirror.api.encode.table;

import io.kubemirror.model.ResourceType;
import io.kubemirror.upstream.ResourceDefinition.PrinterColumn;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Provides the formats of types whose columns are known (list-watch.md#ne-20 to #ne-22). */
public final class TableFormats {

    private static final Map<String, TableFormat> BUILT_IN =
            Map.ofEntries(
                    Map.entry("pods", PodTable.format()),
                    Map.entry("services", ServiceTable.format()),
                    Map.entry("nodes", NodeTable.format()),
                    Map.entry("namespaces", namespaces()),
                    Map.entry("configmaps", configMaps()),
                    Map.entry("secrets", secrets()),
                    Map.entry("events", EventTable.format()),
                    Map.entry("deployments.apps", deployments()),
                    Map.entry("replicasets.apps", replicaSets()),
                    Map.entry("jobs.batch", JobTable.format()),
                    Map.entry("endpointslices.discovery.k8s.io", EndpointSliceTable.format()));

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
                        shown.stream().map(CustomColumn::of)));
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

    private static TableFormat deployments() {
        return TableFormat.of(
                "deployments.apps",
                Column.named(),
                Column.text(
                        "Ready",
                        object ->
                                object.at("/status/readyReplicas").asLong(0)
                                        + "/"
                                        + object.at("/spec/replicas").asLong(0)),
                Column.number("Up-to-date", "/status/updatedReplicas").typed("string"),
                Column.number("Available", "/status/availableReplicas").typed("string"),
                Column.age(),
                Column.ofContainers("Containers", "name"),
                Column.ofContainers("Images", "image"),
                Column.text("Selector", object -> CellText.selector(object.at("/spec/selector")))
                        .wide());
    }

    private static TableFormat replicaSets() {
        return TableFormat.of(
                "replicasets.apps",
                Column.named(),
                Column.number("Desired", "/spec/replicas"),
                Column.number("Current", "/status/replicas"),
                Column.number("Ready", "/status/readyReplicas"),
                Column.age(),
                Column.ofContainers("Containers", "name"),
                Column.ofContainers("Images", "image"),
                Column.text(
                                "Selector",
                                object ->
                                        CellText.orNone(
                                                CellText.selector(object.at("/spec/selector"))))
                        .wide());
    }
}
