package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.MemoryBudget;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;

/**
 * What an operator asks first, in one document. The endpoint, the status page, health, and the
 * command line show what it says. Names no object, and holds no secret.
 *
 * @param at when it was made
 * @param findings what is wrong, the worst first
 * @param program this process
 * @param memory what memory is used for
 * @param mirrors the mirrors in the order of the configuration
 */
public record Diagnosis(
        Instant at,
        List<Finding> findings,
        ProgramDiagnosis program,
        MemoryUse memory,
        List<MirrorDiagnosis> mirrors) {

    /**
     * Diagnoses this process, without a request to the API server.
     *
     * @param meant selects the mirrors to include
     */
    public static Diagnosis of(ProcessDescription process, Predicate<Mirror> meant) {
        Instant now = process.clock().instant();
        MemoryUse memory = MemoryUse.of(process);
        List<MirrorDiagnosis> mirrors =
                process.mirrors().get().stream()
                        .filter(mirrored -> meant.test(mirrored.mirror()))
                        .map(mirrored -> MirrorDiagnosis.of(mirrored, process, now))
                        .toList();
        return new Diagnosis(
                now,
                Findings.of(mirrors, memory, process.further().get()),
                ProgramDiagnosis.of(process, now),
                memory,
                mirrors);
    }

    /**
     * This process.
     *
     * @param upstream the API server's address, and where the credentials come from
     */
    public record ProgramDiagnosis(
            String version, String java, String upstream, Instant started, double uptimeSeconds) {

        private static ProgramDiagnosis of(ProcessDescription process, Instant now) {
            return new ProgramDiagnosis(
                    process.version(),
                    Runtime.version().toString(),
                    process.upstream(),
                    process.started(),
                    Duration.between(process.started(), now).toSeconds());
        }
    }

    /**
     * What memory is used for.
     *
     * @param heapUsedBytes the heap in use, garbage included
     * @param heapKeptBytes what was left of it by the last collection of garbage
     */
    public record MemoryUse(
            long heapUsedBytes,
            long heapKeptBytes,
            long heapMaxBytes,
            long budgetUsedBytes,
            long budgetLimitBytes) {

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
                    process.memory().stream().mapToLong(MemoryBudget::used).sum(),
                    process.memory().stream().mapToLong(MemoryBudget::limit).sum());
        }
    }
}
