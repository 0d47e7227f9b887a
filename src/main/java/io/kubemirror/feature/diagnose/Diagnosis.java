package io.kubemirror.feature.diagnose;

import io.kubemirror.app.ProcessDescription;
import io.kubemirror.mirror.Mirror;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.EnumNamingStrategies.KebabCaseStrategy;
import tools.jackson.databind.annotation.EnumNaming;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.lang.management.RuntimeMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What an operator asks first, in one document. Names no object unless requested, and holds no
 * secret.
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
    public record ProgramDiagnosis(
            String version, String java, Instant started, double uptimeSeconds, String api) {

        /** Describes this process. */
        public static ProgramDiagnosis of(ProcessDescription setup, Instant now) {
            RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
            Instant started = Instant.ofEpochMilli(runtime.getStartTime());
            return new ProgramDiagnosis(
                    setup.version(),
                    runtime.getVmVersion(),
                    started,
                    Duration.between(started, now).toSeconds(),
                    setup.api().get());
        }
    }

    /**
     * The API server at the time of the report.
     *
     * @param server its address, and where the credentials come from
     * @param version its version
     * @param answerSeconds how long its response took
     * @param problem why it did not answer
     * @param watches what its own metrics count, null unless requested
     */
    public record UpstreamDiagnosis(
            String server,
            @Nullable String version,
            @Nullable Double answerSeconds,
            @Nullable String problem,
            @Nullable WatchCounts watches) {

        /** Returns this with the counts of watches. */
        UpstreamDiagnosis with(WatchCounts counts) {
            return new UpstreamDiagnosis(server, version, answerSeconds, problem, counts);
        }
    }

    /**
     * The open watches of all clients of the API server. One of several API servers counts only
     * those that it serves itself.
     *
     * @param open their number by mirrored resource, empty if unknown
     * @param problem why they are unknown
     */
    public record WatchCounts(Map<String, Long> open, @Nullable String problem) {}

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
    public record Memory(
            long heapUsedBytes,
            long heapKeptBytes,
            long heapMaxBytes,
            long budgetUsedBytes,
            long budgetLimitBytes,
            long storeBytes,
            long windowBytes) {

        /** Returns the present use of memory. */
        public static Memory of(DiagnosisInput input) {
            MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
            long kept =
                    ManagementFactory.getMemoryPoolMXBeans().stream()
                            .filter(pool -> pool.getType() == MemoryType.HEAP)
                            .map(MemoryPoolMXBean::getCollectionUsage)
                            .filter(Objects::nonNull)
                            .mapToLong(MemoryUsage::getUsed)
                            .sum();
            return new Memory(
                    heap.getUsed(),
                    kept,
                    heap.getMax(),
                    input.memory().used(),
                    input.memory().limit(),
                    input.plain().stream().mapToLong(Mirror::bytes).sum(),
                    input.plain().stream().mapToLong(Mirror::windowBytes).sum());
        }
    }

    /**
     * A problem or a note for operators, in one line.
     *
     * @param severity the severity
     * @param kind the category
     * @param mirror the affected mirror, empty for the process
     * @param text the line
     * @param action what to do about it, in one or two sentences
     */
    public record Finding(Severity severity, Kind kind, String mirror, String text, String action) {

        /** Creates a finding with the action for its category. */
        Finding(Severity severity, Kind kind, String mirror, String text) {
            this(severity, kind, mirror, text, kind.action);
        }

        /** The severity of a finding, the most severe first. */
        @EnumNaming(KebabCaseStrategy.class)
        public enum Severity {
            /** Clients get no responses, or stale ones. */
            ERROR,
            /** Something is wrong, but clients may not notice. */
            WARNING,
            /** Nothing is wrong at present. */
            NOTE
        }

        /** The category of a finding, which determines the exit code of {@code diagnose}. */
        @EnumNaming(KebabCaseStrategy.class)
        public enum Kind {
            /** A mirror has no content yet. */
            NOT_SYNCHRONIZED(
                    "Requests for it get 429 until its first list is complete. Correct the problem"
                            + " if one is named, otherwise wait; a restart does not help."),
            /** The API server does not respond. */
            UNREACHABLE(
                    "Check the address, the network, and the certificates of the API server."
                            + " Mirrors serve their last state meanwhile; do not restart them."),
            /** A permission is missing. */
            DENIED(
                    "Grant get, list, and watch of this resource to kubemirror's user in a role, or"
                            + " remove the resource. A restart is not necessary."),
            /** A mirror does not follow the server at present. */
            CUT_OFF(
                    "Solve the problem that it names: the network, credentials, or permissions. The"
                            + " mirror serves its last state meanwhile and catches up by itself; do"
                            + " not restart it."),
            /** A client does not read its events. */
            WATCHER(
                    "Give the client more CPU, or let it select less by labels, fields, or"
                            + " metadata only. A larger kubemirror.history.span and max-bytes give"
                            + " it more time."),
            /** Little memory is left. */
            MEMORY(
                    "Raise the memory limit, or mirror less: namespaces, selectors, drop-fields,"
                            + " or metadata-only."),
            /** The configuration files are not in force, or not all of what they say. */
            CONFIGURATION("Correct the configuration file. kubemirror reads it again by itself."),
            /** A mirror differed from the server and was resynchronized. */
            DIFFERENCE(
                    "The mirror is correct again. Report it as a bug, unless the API server was"
                            + " restored from a backup.");

            private final String action;

            Kind(String action) {
                this.action = action;
            }
        }
    }
}
