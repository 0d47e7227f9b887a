package io.kubemirror.ops.page;

import io.kubemirror.mirror.Backlog;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.mirror.WatcherInfo;
import io.kubemirror.model.Names;
import io.kubemirror.ops.DiagnosisInput;

import org.jspecify.annotations.Nullable;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What the page shows of the present, found without asking the API server. What happens in a second
 * follows from the difference of two of them.
 *
 * @param at when it was found
 * @param version the version of kubemirror
 * @param upstream the API server
 * @param uptimeSeconds how long the process runs
 * @param heapUsed the heap in use, in bytes
 * @param heapMax the most that it may be
 * @param memoryUsed what is used of the memory budget, in bytes
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
     * A mirror in a line.
     *
     * @param name its name, which no other has
     * @param resource the resource as configured
     * @param namespace the namespace, empty for all
     * @param selector the selectors, empty for everything
     * @param phase what the reflector does
     * @param synced whether there is something to answer with
     * @param problem what is wrong now
     * @param objects how many objects there are
     * @param bytes their size
     * @param revision the revision that they are true at
     * @param contactAgeSeconds how long ago the server was heard of, null for never
     * @param received how many changes the server has sent so far
     * @param watchers how many clients follow
     * @param behind how many changes the slowest of them has before it
     * @param windowChanges how many changes a watch can still ask for
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

    /** The present. */
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
