package io.kubemirror.web.table;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

/** The columns of jobs. */
final class JobTable {

    private JobTable() {}

    static TableFormat format() {
        return TableFormat.of(
                Column.named(),
                Column.text("Status", "Status of the job.", JobTable::status),
                Column.text(
                        "Completions",
                        "The number of pods which reached phase Succeeded. The value increases"
                                + " monotonically for a given spec. However, it may decrease in"
                                + " reaction to scale down of elastic indexed jobs.",
                        JobTable::completions),
                Column.timed("Duration", "Time required to complete the job.", JobTable::duration),
                Column.age(),
                Column.text(
                                "Containers",
                                "Names of each container in the template.",
                                object ->
                                        Texts.each(
                                                object.at("/spec/template/spec/containers"),
                                                "name"))
                        .wide(),
                Column.text(
                                "Images",
                                "Images referenced by each container in the template.",
                                object ->
                                        Texts.each(
                                                object.at("/spec/template/spec/containers"),
                                                "image"))
                        .wide(),
                Column.text(
                                "Selector",
                                "A label query over pods that should match the pod count. Normally,"
                                    + " the system sets this field for you. More info:"
                                    + " https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
                                object -> Texts.orNone(Texts.selector(object.at("/spec/selector"))))
                        .wide());
    }

    private static String status(JsonNode job) {
        JsonNode status = job.path("status");
        if (Conditions.isTrue(status, "Complete")) {
            return "Complete";
        }
        if (Conditions.isTrue(status, "Failed")) {
            return "Failed";
        }
        if (!job.at("/metadata/deletionTimestamp").asString("").isEmpty()) {
            return "Terminating";
        }
        return Stream.of("Suspended", "FailureTarget")
                .filter(type -> Conditions.isTrue(status, type))
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
