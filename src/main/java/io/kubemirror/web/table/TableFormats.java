package io.kubemirror.web.table;

import io.kubemirror.kube.PrinterColumn;
import io.kubemirror.model.ResourceType;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The formats of the types whose columns are known (NE-20 to NE-22). */
public final class TableFormats {

    private static final Map<String, TableFormat> BUILT_IN =
            Map.ofEntries(
                    Map.entry("pods", PodTable.format()),
                    Map.entry("services", ServiceTable.format()),
                    Map.entry("nodes", NodeTable.format()),
                    Map.entry("namespaces", NamespaceTable.format()),
                    Map.entry("configmaps", ConfigMapTable.format()),
                    Map.entry("secrets", SecretTable.format()),
                    Map.entry("events", EventTable.format()),
                    Map.entry("deployments.apps", DeploymentTable.format()),
                    Map.entry("replicasets.apps", ReplicaSetTable.format()),
                    Map.entry("jobs.batch", JobTable.format()),
                    Map.entry("endpointslices.discovery.k8s.io", EndpointSliceTable.format()));

    private static final PrinterColumn AGE =
            new PrinterColumn("Age", "date", "", Column.CREATED, 0, ".metadata.creationTimestamp");

    private TableFormats() {}

    /** The format of a built-in type, empty if it has no columns of its own here. */
    public static Optional<TableFormat> ofBuiltIn(ResourceType type) {
        return Optional.ofNullable(BUILT_IN.get(type.groupResource()));
    }

    /**
     * The format of a custom resource; one without columns shows its age.
     *
     * @param columns the columns that its definition declares
     */
    public static TableFormat ofCustom(List<PrinterColumn> columns) {
        List<PrinterColumn> shown = columns.isEmpty() ? List.of(AGE) : columns;
        return TableFormat.of(
                Stream.concat(Stream.of(Column.named()), shown.stream().map(CustomColumn::of))
                        .toArray(Column[]::new));
    }
}
