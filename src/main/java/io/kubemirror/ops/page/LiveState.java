package io.kubemirror.ops.page;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.mirror.WatcherDirectory.WatcherInfo;
import io.kubemirror.model.Names;
import io.kubemirror.ops.DiagnosisInput;

import org.jspecify.annotations.Nullable;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A sample of the current state for the status page, taken without requests to the API server. The
 * page computes rates from the difference of two samples.
 *
 * @param at when it was taken
 * @param version the version of kubemirror
 * @param upstream the API server
 * @param uptimeSeconds the uptime of the process
 * @param heapUsed the heap in use, in bytes
 * @param heapMax the maximum heap size, in bytes
 * @param memoryUsed the used part of the memory budget, in bytes
 * @param memoryLimit the memory budget, in bytes
 * @param mirrors the mirrors in the order of the configuration
 */
record LiveState(
        Instant at,
        String version,
        String upstream,
        long uptimeSeconds,
        long heapUsed,
        long heapMax,
        long memoryUsed,
        long memoryLimit,
        List<Row> mirrors) {

    /**
     * The state of a mirror.
     *
     * @param name its unique name
     * @param resource the resource as configured
     * @param namespace the namespace, empty for all
     * @param selector the selectors, empty for everything
     * @param phase what the reflector is doing
     * @param synced whether the mirror can serve requests
     * @param problem the current problem
     * @param objects the number of objects
     * @param bytes their size
     * @param revision the revision of this content
     * @param contactAgeSeconds the age of the last response of the server, null for never
     * @param received the number of changes that the server has sent
     * @param watchers the number of open watches
     * @param behind the number of pending changes of the slowest of them
     * @param windowChanges the number of changes that a watch can still read
     * @param windowSeconds the time between the oldest and the newest
     */
    record Row(
            String name,
            String resource,
            String namespace,
            String selector,
            String phase,
            boolean synced,
            @Nullable String problem,
            int objects,
            long bytes,
            String revision,
            @Nullable Double contactAgeSeconds,
            long received,
            int watchers,
            long behind,
            long windowChanges,
            double windowSeconds) {}

    /** Takes a sample. */
    static LiveState of(DiagnosisInput observed) {
        Instant now = observed.clock().instant();
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        return new LiveState(
                now,
                observed.setup().version(),
                observed.setup().upstream(),
                ManagementFactory.getRuntimeMXBean().getUptime() / 1000,
                heap.getUsed(),
                heap.getMax(),
                observed.memory().used(),
                observed.memory().limit(),
                observed.mirrors().stream()
                        .map(mirrored -> row(mirrored, observed.watchers(), now))
                        .toList());
    }

    private static Row row(
            DiagnosisInput.Mirrored mirrored, WatcherDirectory followers, Instant now) {
        Mirror mirror = mirrored.mirror();
        UpstreamStatus upstream = mirror.upstream();
        List<WatcherInfo> watching = followers.of(mirror);
        return new Row(
                mirror.scope().toString(),
                mirror.scope().resource().text(),
                mirror.scope().selection().namespace(),
                mirror.scope().selectors(),
                Names.kebab(upstream.phase()),
                mirror.snapshot().isPresent() || upstream.phase() == Phase.ABSENT,
                upstream.problem().isEmpty() ? null : upstream.problem(),
                mirror.snapshot().map(Snapshot::size).orElse(0),
                mirror.bytes(),
                mirror.revision().digits(),
                age(upstream.contact(), now),
                mirrored.received(),
                watching.size(),
                behind(watching),
                mirror.windowChanges(),
                mirror.windowSpan().toMillis() / 1000.0);
    }

    private static @Nullable Double age(Instant contact, Instant now) {
        return contact.equals(Instant.EPOCH)
                ? null
                : Math.max(0, Duration.between(contact, now).toMillis()) / 1000.0;
    }

    private static long behind(List<WatcherInfo> watching) {
        return watching.stream()
                .map(WatcherInfo::backlog)
                .mapToLong(Backlog::changes)
                .max()
                .orElse(0);
    }
}
