package io.kubemirror.api.encode.table;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

/** The columns of jobs. */
final class JobTable {

    private JobTable() {}

    static TableFormat format() {
        return TableFormat.of(
                "jobs.batch",
                Column.named(),
                Column.text("Status", JobTable::status),
                Column.text("Completions", JobTable::completions),
                Column.timed("Duration", JobTable::duration),
                Column.age(),
                Column.ofContainers("Containers", "name"),
                Column.ofContainers("Images", "image"),
                Column.text(
                                "Selector",
                                job -> CellText.orNone(CellText.selector(job.at("/spec/selector"))))
                        .wide());
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
