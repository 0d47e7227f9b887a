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

    private StorageCells() {}

    /** Returns the cell of a kind. Only a claim with a volume shows its capacity and modes. */
    static String of(String kind, JsonNode part) {
        return switch (kind) {
            case "bound-capacity" -> ofBound(part, it -> it.at("/capacity/storage").asString("0"));
            case "bound-modes" -> ofBound(part, status -> accessModes(status.path("accessModes")));
            case "claim" -> part.isMissingNode() ? "" : CellText.path(part, "namespace,name");
            case "modes" -> accessModes(part);
            case "phase" -> status(part);
            case "storage-class" -> storageClass(part);
            default -> NetworkCells.of(kind, part);
        };
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

    private static String ofBound(JsonNode claim, Function<JsonNode, String> value) {
        return claim.at("/spec/volumeName").asString("").isEmpty()
                ? ""
                : value.apply(claim.path("status"));
    }
}
