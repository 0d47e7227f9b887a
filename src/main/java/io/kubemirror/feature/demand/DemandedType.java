package io.kubemirror.feature.demand;

import module java.base;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.UpstreamStatus.Phase;

/**
 * A type that has mirrors on demand, until they end.
 *
 * <p>Safe for use by any thread.
 */
final class DemandedType {

    private final RequestPath.Resource resource;
    private final List<Mirror> mirrors;
    private final Duration idle;

    /** When the mirrors were used last. */
    private volatile long used;

    /** Whether the mirrors are about to be gone. */
    private final AtomicBoolean ending = new AtomicBoolean();

    /**
     * Creates a type with mirrors.
     *
     * @param idle how long the mirrors may be without requests and watches
     * @param now the time in nanoseconds
     */
    DemandedType(RequestPath.Resource resource, List<Mirror> mirrors, Duration idle, long now) {
        this.resource = resource;
        this.mirrors = List.copyOf(mirrors);
        this.idle = idle;
        this.used = now;
    }

    RequestPath.Resource resource() {
        return resource;
    }

    List<Mirror> mirrors() {
        return mirrors;
    }

    /** Records a request. */
    void use(long now) {
        used = now;
    }

    /** Returns when the mirrors were used last. */
    long lastUse() {
        return used;
    }

    /** Returns whether all of the type is in the mirrors. */
    boolean isReady() {
        return !ending.get() && mirrors.stream().allMatch(one -> one.snapshot().isPresent());
    }

    /** Marks the mirrors as ending, once. */
    boolean end() {
        return ending.compareAndSet(false, true);
    }

    /** Returns whether the API server does not have the type. */
    boolean isGone() {
        return mirrors.stream().allMatch(mirror -> mirror.upstream().phase() == Phase.ABSENT);
    }

    /** Returns whether watches use a mirror, or it synchronizes for the first time. */
    boolean isInUse(WatchRegistry watchers) {
        return mirrors.stream()
                .anyMatch(mirror -> watchers.isWatched(mirror) || isStarting(mirror));
    }

    private static boolean isStarting(Mirror mirror) {
        Phase phase = mirror.upstream().phase();
        return mirror.snapshot().isEmpty()
                && (phase == Phase.RESOLVING || phase == Phase.SYNCHRONIZING);
    }

    /** Returns whether nothing has used the mirrors for the configured time. */
    boolean isIdle(long now) {
        return now - used >= idle.toNanos();
    }
}
