package io.kubemirror.app.health;

import module java.base;

import com.fasterxml.jackson.annotation.JsonIgnore;

import io.kubemirror.app.health.MirrorDiagnosis.AccessStatus;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Scope;

import org.jspecify.annotations.Nullable;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.lang.management.RuntimeMXBean;

/**
 * What an operator asks first, in one document. Endpoints, the status page, and the command line
 * show what it says. Names no object unless requested, and holds no secret.
 *
 * @param at when it was made
 * @param findings what is wrong, the worst first
 * @param program this process
 * @param upstream the API server
 * @param memory what memory is used for
 * @param settings the settings that matter, by property
 * @param mirrors the mirrors in the order of the configuration
 */
public record Diagnosis(
        Instant at,
        List<Finding> findings,
        ProgramDiagnosis program,
        UpstreamDiagnosis upstream,
        MemoryUse memory,
        Map<String, String> settings,
        List<MirrorDiagnosis> mirrors) {

    /**
     * What to include.
     *
     * @param mirrors the mirrors
     * @param objects whether to name the objects that change most
     * @param watchers the maximum number of watches of each mirror, the slowest first
     */
    public record Detail(Predicate<Mirror> mirrors, boolean objects, int watchers) {}

    /** Diagnoses this process, with the answers of the API server. */
    public static Diagnosis of(ProcessDescription process, Detail detail, UpstreamAnswers answers) {
        Instant now = process.clock().instant();
        MemoryUse memory = MemoryUse.of(process);
        List<MirrorDiagnosis> mirrors =
                process.mirrors().get().stream()
                        .filter(mirrored -> detail.mirrors().test(mirrored.mirror()))
                        .map(one -> MirrorDiagnosis.of(one, process, detail, answers, now))
                        .toList();
        Set<String> lost =
                process.plain().stream()
                        .filter(process.lost())
                        .map(mirror -> mirror.scope().toString())
                        .collect(Collectors.toSet());
        Findings findings = new Findings(mirrors, lost, answers.upstream());
        return new Diagnosis(
                now,
                findings.all(memory, process.further().get()),
                ProgramDiagnosis.of(process, now),
                answers.upstream(),
                memory,
                process.settings(),
                mirrors);
    }

    /**
     * What the API server answers for a diagnosis.
     *
     * @param upstream whether it is available
     * @param access what it permits, by scope of a mirror and verb
     */
    public record UpstreamAnswers(
            UpstreamDiagnosis upstream, Map<Scope, Map<String, AccessStatus>> access) {

        /**
         * No answers, without a request. Findings about permissions and availability are missing; a
         * mirror that the server refuses or does not answer has a finding of its own.
         */
        public static UpstreamAnswers unasked(ProcessDescription process) {
            return new UpstreamAnswers(
                    new UpstreamDiagnosis(process.upstream(), null, null, null), Map.of());
        }
    }

    /**
     * This process.
     *
     * @param api where the Kubernetes API is served, null without a TCP port
     */
    public record ProgramDiagnosis(
            String version,
            String java,
            Instant started,
            double uptimeSeconds,
            @Nullable String api) {

        private static ProgramDiagnosis of(ProcessDescription process, Instant now) {
            RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
            Instant started = Instant.ofEpochMilli(runtime.getStartTime());
            return new ProgramDiagnosis(
                    process.version(),
                    runtime.getVmVersion(),
                    started,
                    Duration.between(started, now).toSeconds(),
                    process.api().get());
        }
    }

    /**
     * The API server at the time of the report.
     *
     * @param server its address, and where the credentials come from
     * @param answerSeconds how long its response took
     * @param problem why it did not answer
     * @param kind the kind of the finding about the problem
     */
    public record UpstreamDiagnosis(
            String server,
            @Nullable String version,
            @Nullable Double answerSeconds,
            @Nullable String problem,
            @JsonIgnore Finding.Kind kind) {

        /** Creates a diagnosis of a server that answers, or cannot be reached. */
        public UpstreamDiagnosis(
                String server,
                @Nullable String version,
                @Nullable Double answerSeconds,
                @Nullable String problem) {
            this(server, version, answerSeconds, problem, Finding.Kind.UNREACHABLE);
        }
    }

    /**
     * What memory is used for.
     *
     * @param heapUsedBytes the heap in use, garbage included
     * @param heapKeptBytes what was left of it by the last collection of garbage
     * @param storeBytes the objects of all mirrors
     * @param windowBytes what only the past of all mirrors needs
     */
    public record MemoryUse(
            long heapUsedBytes,
            long heapKeptBytes,
            long heapMaxBytes,
            long budgetUsedBytes,
            long budgetLimitBytes,
            long storeBytes,
            long windowBytes) {

        private static MemoryUse of(ProcessDescription process) {
            MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
            long kept =
                    ManagementFactory.getMemoryPoolMXBeans().stream()
                            .filter(pool -> pool.getType() == MemoryType.HEAP)
                            .map(MemoryPoolMXBean::getCollectionUsage)
                            .filter(Objects::nonNull)
                            .mapToLong(MemoryUsage::getUsed)
                            .sum();
            return new MemoryUse(
                    heap.getUsed(),
                    kept,
                    heap.getMax(),
                    process.memory().used(),
                    process.memory().limit(),
                    process.plain().stream().mapToLong(Mirror::bytes).sum(),
                    process.plain().stream()
                            .mapToLong(mirror -> mirror.view().recent().bytes())
                            .sum());
        }
    }
}
