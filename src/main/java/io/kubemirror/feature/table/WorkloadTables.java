package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.feature.table.CellText.HumanDuration;
import io.kubemirror.feature.table.TableFormat.RowCondition;

import tools.jackson.databind.JsonNode;

/** The columns of pods and of what creates them. */
final class WorkloadTables {

    private WorkloadTables() {}

    static TableFormat pods() {
        return new TableFormat(podColumns().columns(), WorkloadTables::completion);
    }

    private static TableFormat podColumns() {
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
                Column.text("Readiness Gates", WorkloadTables::readinessGates).wide());
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

    static TableFormat deployments() {
        return TableFormat.of(
                "deployments.apps",
                Column.named(),
                readyReplicas(),
                Column.number("Up-to-date", "/status/updatedReplicas").typed("string"),
                Column.number("Available", "/status/availableReplicas").typed("string"),
                Column.age(),
                Column.ofContainers("Containers", "name"),
                Column.ofContainers("Images", "image"),
                Column.text("Selector", object -> CellText.selector(object.at("/spec/selector")))
                        .wide());
    }

    private static Column readyReplicas() {
        return Column.text(
                "Ready",
                object ->
                        object.at("/status/readyReplicas").asLong(0)
                                + "/"
                                + object.at("/spec/replicas").asLong(0));
    }

    static TableFormat statefulSets() {
        return TableFormat.of(
                "statefulsets.apps",
                Column.named(),
                readyReplicas(),
                Column.age(),
                Column.ofContainers("Containers", "name"),
                Column.ofContainers("Images", "image"));
    }

    static TableFormat jobs() {
        return TableFormat.of(
                "jobs.batch",
                Column.named(),
                Column.text("Status", WorkloadTables::status),
                Column.text("Completions", WorkloadTables::completions),
                Column.timed("Duration", WorkloadTables::duration),
                Column.age(),
                Column.ofContainers("Containers", "name"),
                Column.ofContainers("Images", "image"),
                selector("/spec/selector"));
    }

    static TableFormat cronJobs() {
        String job = "/spec/jobTemplate/spec";
        return TableFormat.of(
                "cronjobs.batch",
                Column.named(),
                Column.text("Schedule", "/spec/schedule"),
                Column.text(
                        "Timezone", object -> object.at("/spec/timeZone").asString(CellText.NONE)),
                Column.text("Suspend", object -> suspended(object.at("/spec/suspend")))
                        .typed("boolean"),
                Column.number("Active", object -> object.at("/status/active").size()),
                Column.timed("Last Schedule", WorkloadTables::lastSchedule),
                Column.age(),
                Column.ofContainers("Containers", job, "name"),
                Column.ofContainers("Images", job, "image"),
                selector(job + "/selector"));
    }

    private static String suspended(JsonNode suspend) {
        return suspend.isBoolean() ? (suspend.asBoolean() ? "True" : "False") : CellText.UNSET;
    }

    private static String lastSchedule(JsonNode object, Instant now) {
        JsonNode time = object.at("/status/lastScheduleTime");
        return time.isMissingNode() ? CellText.NONE : HumanDuration.since(time, now);
    }

    private static Column selector(String pointer) {
        return Column.text(
                        "Selector",
                        object -> CellText.orNone(CellText.selector(object.at(pointer))))
                .wide();
    }

    private static String status(JsonNode job) {
        JsonNode status = job.path("status");
        if (CellText.isTrue(status, "Complete")) {
            return "Complete";
        }
        if (CellText.isTrue(status, "Failed")) {
            return "Failed";
        }
        if (!job.at("/metadata/deletionTimestamp").asString("").isEmpty()) {
            return "Terminating";
        }
        return Stream.of("Suspended", "FailureTarget")
                .filter(type -> CellText.isTrue(status, type))
                .findFirst()
                .orElse("Running");
    }

    private static String completions(JsonNode job) {
        String succeeded = job.at("/status/succeeded").asLong(0) + "/";
        JsonNode completions = job.at("/spec/completions");
        long parallelism = job.at("/spec/parallelism").asLong(0);
        return succeeded
                + (completions.isNumber()
                        ? Long.toString(completions.asLong())
                        : parallelism > 1 ? "1 of " + parallelism : "1");
    }

    private static String duration(JsonNode job, Instant now) {
        Instant end =
                HumanDuration.parse(job.at("/status/completionTime").asString("")).orElse(now);
        return HumanDuration.parse(job.at("/status/startTime").asString(""))
                .map(start -> HumanDuration.of(Duration.between(start, end)))
                .orElse("");
    }
}
