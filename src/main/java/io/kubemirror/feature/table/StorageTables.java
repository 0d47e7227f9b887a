package io.kubemirror.feature.table;

import module java.base;

import tools.jackson.databind.JsonNode;

/** The columns of persistent volumes and their claims. */
final class StorageTables {

    /** Access modes and their short names, in the order in which they are shown. */
    private static final List<Map.Entry<String, String>> ACCESS_MODES =
            List.of(
                    Map.entry("ReadWriteOnce", "RWO"),
                    Map.entry("ReadOnlyMany", "ROX"),
                    Map.entry("ReadWriteMany", "RWX"),
                    Map.entry("ReadWriteOncePod", "RWOP"));

    private StorageTables() {}

    static TableFormat volumes() {
        return TableFormat.of(
                "persistentvolumes",
                Column.named(),
                Column.text("Capacity", volume -> storage(volume.at("/spec/capacity"))),
                Column.text("Access Modes", volume -> accessModes(volume.at("/spec/accessModes"))),
                Column.text("Reclaim Policy", "/spec/persistentVolumeReclaimPolicy"),
                Column.text("Status", StorageTables::status),
                Column.text("Claim", volume -> claim(volume.at("/spec/claimRef"))),
                Column.text("StorageClass", StorageTables::storageClass),
                orUnset("VolumeAttributesClass", "/spec/volumeAttributesClassName"),
                Column.text("Reason", "/status/reason"),
                Column.age(),
                orUnset("VolumeMode", "/spec/volumeMode").wide());
    }

    /** Returns the format of claims. Only those with a volume show its capacity and modes. */
    static TableFormat claims() {
        return TableFormat.of(
                "persistentvolumeclaims",
                Column.named(),
                Column.text("Status", StorageTables::status),
                Column.text("Volume", "/spec/volumeName"),
                Column.text(
                        "Capacity",
                        claim -> ofBound(claim, status -> storage(status.path("capacity")))),
                Column.text(
                        "Access Modes",
                        claim -> ofBound(claim, status -> accessModes(status.path("accessModes")))),
                Column.text("StorageClass", StorageTables::storageClass),
                orUnset("VolumeAttributesClass", "/spec/volumeAttributesClassName"),
                Column.age(),
                orUnset("VolumeMode", "/spec/volumeMode").wide());
    }

    private static Column orUnset(String name, String pointer) {
        return Column.text(name, object -> object.at(pointer).asString(CellText.UNSET));
    }

    private static String storage(JsonNode quantities) {
        return quantities.path("storage").asString("0");
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

    private static String claim(JsonNode claim) {
        return claim.isMissingNode()
                ? ""
                : claim.path("namespace").asString("") + "/" + claim.path("name").asString("");
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
