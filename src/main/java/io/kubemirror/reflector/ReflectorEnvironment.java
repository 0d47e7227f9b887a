package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Excess;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.Permission;
import io.kubemirror.model.SteadyClock;
import io.kubemirror.source.Failure;

import org.jspecify.annotations.Nullable;

/**
 * The environment of a reflector: time, randomness, and shared limits, which tests control.
 *
 * @param clock the clock of waits, with that of the system, which changes are dated by
 * @param random randomizes waits
 * @param sleeper waits
 * @param limiter limits the concurrent lists of all reflectors
 * @param probe detects for all reflectors that the server is reachable again
 * @param messages what operators read about failures
 */
public record ReflectorEnvironment(
        SteadyClock clock,
        RandomGenerator random,
        Sleeper sleeper,
        ListLimiter limiter,
        ConnectionProbe probe,
        FailureMessages messages) {

    /**
     * What operators read about failures: each message is one line with the cause and a remedy. The
     * reflector knows no property by name, but who configures it does. Safe for use by any thread.
     */
    public interface FailureMessages {

        /**
         * Returns the message about a failed request.
         *
         * @param needed the permission that the request requires, null for discovery
         * @param upstream the name of the properties that lead to the server
         */
        String failed(Failure failure, @Nullable Permission needed, String upstream);

        /**
         * Returns the message about a type that the server does not have.
         *
         * @param similar the types with similar names, possibly none
         */
        String missing(List<String> similar);

        /**
         * Returns the message about a collection that does not fit: how much memory it needs.
         *
         * @param remaining the number of objects still to come, 0 if unknown
         */
        String tooLarge(Excess tooLarge, long remaining);

        /**
         * Records a change of the status of one mirror, and returns whether it is news to
         * operators: a problem that no other mirror has, or the end of one that no other mirror has
         * any more.
         */
        boolean isNews(UpstreamStatus before, UpstreamStatus after);
    }
}
