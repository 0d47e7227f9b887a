package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.api.watch.WatchRegistry.WatcherInfo;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorStatus;

/**
 * What runs, for those who operate it.
 *
 * @param version the version of kubemirror
 * @param upstream the API server's address and the source of the credentials, without any secret
 * @param started when the process started
 * @param mirrors returns the mirrors in the order of the configuration
 * @param watchers lists the open watches of a mirror
 * @param further returns the findings of features
 * @param memory the memory budgets of clients and of mirrors
 */
public record ProcessDescription(
        String version,
        String upstream,
        Instant started,
        Supplier<List<Mirrored>> mirrors,
        Function<Mirror, List<WatcherInfo>> watchers,
        Supplier<List<Finding>> further,
        List<MemoryBudget> memory,
        InstantSource clock) {

    /** How long the API server may be silent before the connection counts as lost. */
    private static final Duration LOST_AFTER = Duration.ofMinutes(10);

    /**
     * A mirror together with the status of its reflector.
     *
     * @param mirror the mirror
     * @param status the current status of the reflector
     * @param counts returns the value of a reflector's counter
     */
    public record Mirrored(
            Mirror mirror, Supplier<ReflectorStatus> status, ToLongFunction<Counter> counts) {

        /** Creates an instance from what keeps a mirror up to date. */
        public static Mirrored by(Reflector updater) {
            return new Mirrored(updater.mirror(), updater::reflectorStatus, updater.counts()::get);
        }
    }

    /** The clock in nanoseconds, for caches. */
    public long nanos() {
        return TimeUnit.MILLISECONDS.toNanos(clock.millis());
    }

    /** The mirrors without their reflectors. */
    public List<Mirror> plain() {
        return mirrors.get().stream().map(Mirrored::mirror).toList();
    }

    /**
     * Returns whether the server has been silent about a mirror for too long. Any answer counts,
     * even a refusal, because it proves the connection. An open watch may be silent.
     */
    boolean isLost(Mirror mirror, Instant now) {
        UpstreamStatus status = mirror.upstream();
        Instant answer = status.answer().isAfter(started) ? status.answer() : started;
        return status.phase() != Phase.WATCHING && answer.plus(LOST_AFTER).isBefore(now);
    }
}
