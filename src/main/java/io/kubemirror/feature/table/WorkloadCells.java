package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.feature.table.CellText.HumanDuration;
import io.kubemirror.feature.table.TableFormat.RowCondition;

import tools.jackson.databind.JsonNode;

/** Cells of pods, and of what creates them. */
final class WorkloadCells {

    private WorkloadCells() {}

    /** Returns how many readiness gates of a pod are open. */
    static String readinessGates(JsonNode pod) {
        JsonNode gates = pod.path("spec").path("readinessGates");
        int open = 0;
        for (JsonNode gate : gates) {
            String type = gate.path("conditionType").asString("");
            open += CellText.isTrue(pod.path("status"), type) ? 1 : 0;
        }
        return gates.isEmpty() ? CellText.NONE : open + "/" + gates.size();
    }

    /** Returns a condition for completed pods, so that clients can hide them. */
    static Optional<RowCondition> completion(JsonNode pod) {
        return switch (pod.at("/status/phase").asString("")) {
            case "Succeeded" -> completed("Succeeded", "The pod has completed successfully.");
            case "Failed" -> completed("Failed", "The pod failed.");
            default -> Optional.empty();
        };
    }

    private static Optional<RowCondition> completed(String reason, String message) {
        return Optional.of(new RowCondition("Completed", "True", reason, message));
    }

    /** Returns how many replicas of a workload are ready. */
    static String ready(JsonNode workload) {
        return number(workload, "/status/readyReplicas") + "/" + number(workload, "/spec/replicas");
    }

    private static long number(JsonNode object, String pointer) {
        return object.at(pointer).asLong(0);
    }

    /** Returns whether a cron job is suspended. */
    static String suspended(JsonNode suspend) {
        return suspend.isBoolean() ? (suspend.asBoolean() ? "True" : "False") : CellText.UNSET;
    }

    /** Returns the state of a job. */
    static String status(JsonNode job) {
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

    /** Returns how many pods of a job have succeeded. */
    static String completions(JsonNode job) {
        String succeeded = number(job, "/status/succeeded") + "/";
        JsonNode completions = job.at("/spec/completions");
        long parallelism = number(job, "/spec/parallelism");
        return succeeded
                + (completions.isNumber()
                        ? Long.toString(completions.asLong())
                        : parallelism > 1 ? "1 of " + parallelism : "1");
    }

    /** Returns how long a job took, or has taken until now. */
    static String duration(JsonNode job, Instant now) {
        Instant end =
                HumanDuration.parse(job.at("/status/completionTime").asString("")).orElse(now);
        return HumanDuration.parse(job.at("/status/startTime").asString(""))
                .map(start -> HumanDuration.of(Duration.between(start, end)))
                .orElse("");
    }
}
