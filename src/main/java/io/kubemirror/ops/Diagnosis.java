package io.kubemirror.ops;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What an operator asks first, in one document. Names no object and holds no secret.
 *
 * @param at when it was made
 * @param findings what is wrong, the worst first
 * @param program this process
 * @param upstream the API server
 * @param memory what memory is used for
 * @param settings the settings that matter, by property
 * @param mirrors the mirrors in the order of the configuration
 */
record Diagnosis(
        Instant at,
        List<Findings.Finding> findings,
        ProgramDiagnosis program,
        UpstreamDiagnosis upstream,
        Memory memory,
        Map<String, String> settings,
        List<MirrorDiagnosis> mirrors) {

    /**
     * This process.
     *
     * @param version the version of kubemirror
     * @param java the version of Java
     * @param started when it started
     * @param uptimeSeconds how long ago that was
     * @param api where the Kubernetes API is served
     */
    record ProgramDiagnosis(
            String version, String java, Instant started, double uptimeSeconds, String api) {}

    /**
     * The API server, just asked.
     *
     * @param server its address, and where the credentials come from
     * @param version its version
     * @param answerSeconds how long it took to tell that
     * @param problem why it did not
     */
    record UpstreamDiagnosis(
            String server,
            @Nullable String version,
            @Nullable Double answerSeconds,
            @Nullable String problem) {}

    /**
     * What memory is used for.
     *
     * @param heapUsedBytes the heap in use, garbage included
     * @param heapKeptBytes what was left of it by the last collection of garbage
     * @param heapMaxBytes the most that it may be
     * @param budgetUsedBytes what is used of the memory budget
     * @param budgetLimitBytes the memory budget
     * @param storeBytes the objects of all mirrors
     * @param windowBytes what only the past of all mirrors needs
     */
    record Memory(
            long heapUsedBytes,
            long heapKeptBytes,
            long heapMaxBytes,
            long budgetUsedBytes,
            long budgetLimitBytes,
            long storeBytes,
            long windowBytes) {}
}
