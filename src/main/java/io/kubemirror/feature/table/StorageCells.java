package io.kubemirror.feature.table;

import module java.base;

import tools.jackson.databind.JsonNode;

/** Cells of persistent volumes and their claims. */
final class StorageCells {

    /** Access modes and their short names, in the order in which they are shown. */
    private static final List<Map.Entry<String, String>> ACCESS_MODES =
            List.of(
                    Map.entry("ReadWriteOnce", "RWO"),
                    Map.entry("ReadOnlyMany", "ROX"),
                    Map.entry("ReadWriteMany", "RWX"),
                    Map.entry("ReadWriteOncePod", "RWOP"));

    /** The cells by their kind. Only a claim with a volume shows its capacity and modes. */
    static final Map<String, Function<JsonNode, String>> CELLS =
            Map.of(
                    "bound-capacity", ofBound(it -> it.at("/capacity/storage").asString("0")),
                    "bound-modes", ofBound(status -> accessModes(status.path("accessModes"))),
                    "claim", StorageCells::claim,
                    "modes", StorageCells::accessModes,
                    "phase", StorageCells::status,
                    "storage-class", StorageCells::storageClass);

    private StorageCells() {}

    private static String claim(JsonNode claim) {
        return claim.isMissingNode() ? "" : CellText.path(claim, "namespace,name");
    }

    private static String accessModes(JsonNode modes) {
        Set<String> names =
                modes.valueStream().map(mode -> mode.asString("")).collect(Collectors.toSet());
        return ACCESS_MODES.stream()
                .filter(mode -> names.contains(mode.getKey()))
                .map(Map.Entry::getValue)
                .collect(Collectors.joining(","));
    }

    private static String status(JsonNode object) {
        return object.at("/metadata/deletionTimestamp").isMissingNode()
                ? object.at("/status/phase").asString("")
                : "Terminating";
    }

    private static String storageClass(JsonNode object) {
        return object.at("/metadata/annotations/volume.beta.kubernetes.io~1storage-class")
                .asString(object.at("/spec/storageClassName").asString(""));
    }

    private static Function<JsonNode, String> ofBound(Function<JsonNode, String> value) {
        return claim ->
                claim.at("/spec/volumeName").asString("").isEmpty()
                        ? ""
                        : value.apply(claim.path("status"));
    }
}
