package io.kubemirror.api.encode.table;

import io.kubemirror.api.encode.table.TableFormat.RowCondition;

import tools.jackson.databind.JsonNode;

import java.util.Optional;

/** The columns of pods. */
final class PodTable {

    private PodTable() {}

    static TableFormat format() {
        return new TableFormat(columns().columns(), PodTable::completion);
    }

    private static TableFormat columns() {
        return TableFormat.of(
                "pods",
                Column.named(),
                Column.text("Ready", pod -> PodState.of(pod).ready()),
                Column.text("Status", pod -> PodState.of(pod).reason()),
                Column.timed("Restarts", (pod, now) -> PodState.of(pod).restarts(now)),
                Column.age(),
                orNone("IP", "/status/podIPs/0/ip"),
                orNone("Node", "/spec/nodeName"),
                orNone("Nominated Node", "/status/nominatedNodeName"),
                Column.text("Readiness Gates", PodTable::readinessGates).wide());
    }

    private static Column orNone(String name, String pointer) {
        return Column.text(name, pod -> CellText.orNone(pod.at(pointer).asString(""))).wide();
    }

    private static String readinessGates(JsonNode pod) {
        JsonNode gates = pod.path("spec").path("readinessGates");
        int open = 0;
        for (JsonNode gate : gates) {
            String type = gate.path("conditionType").asString("");
            open += CellText.isTrue(pod.path("status"), type) ? 1 : 0;
        }
        return gates.isEmpty() ? CellText.NONE : open + "/" + gates.size();
    }

    /** Returns a condition for completed pods, so that clients can hide them. */
    private static Optional<RowCondition> completion(JsonNode pod) {
        return switch (pod.at("/status/phase").asString("")) {
            case "Succeeded" -> completed("Succeeded", "The pod has completed successfully.");
            case "Failed" -> completed("Failed", "The pod failed.");
            default -> Optional.empty();
        };
    }

    private static Optional<RowCondition> completed(String reason, String message) {
        return Optional.of(new RowCondition("Completed", "True", reason, message));
    }
}
