package io.kubemirror.api.read;

import io.kubemirror.api.read.ReadPolicy.ReadPolicies;
import io.kubemirror.api.read.ReadPolicy.ReadsAtStart;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Revision;

import java.time.Duration;

/**
 * Waits for the first synchronization of mirrors that have started on demand (list-watch.md#od-2).
 */
public record StartWait(ReadPolicies policies) {

    /** The API server's own limit of a list. */
    private static final Duration MAX_START = Duration.ofSeconds(60);

    /** The interval at which a request that waits looks for a problem of its mirror. */
    private static final Duration ROUND = Duration.ofMillis(100);

    /**
     * Waits for a mirror that has started on demand; returns at once for any other, and if the
     * mirror has a problem.
     *
     * @param allotted the maximum duration of the request
     * @throws InterruptedException if the thread is interrupted
     */
    public void await(Mirror mirror, Duration allotted) throws InterruptedException {
        if (policies.of(mirror).start() == ReadsAtStart.REJECTED) {
            return;
        }
        Duration longest = allotted.compareTo(MAX_START) < 0 ? allotted : MAX_START;
        long rounds = longest.dividedBy(ROUND);
        while (rounds > 0 && isStarting(mirror) && !mirror.await(Revision.ZERO, ROUND)) {
            rounds--;
        }
    }

    private static boolean isStarting(Mirror mirror) {
        boolean failed =
                switch (mirror.upstream().phase()) {
                    case RESOLVING, SYNCHRONIZING, WATCHING, POLLING -> false;
                    case BACKING_OFF, OVER_BUDGET, ABSENT, STOPPED -> true;
                };
        return mirror.snapshot().isEmpty() && !failed && !mirror.isRemoved();
    }
}
