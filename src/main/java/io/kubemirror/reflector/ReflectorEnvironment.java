package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.ChangeTracer;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.SteadyClock;
import io.kubemirror.source.Source;

/**
 * The environment of a reflector: time, randomness, and shared limits, which tests control.
 *
 * @param clock the clock of waits, with that of the system, which changes are dated by
 * @param random randomizes waits
 * @param sleeper waits
 * @param limiter limits the concurrent lists of all reflectors
 * @param probe detects for all reflectors that the server is reachable again
 * @param tracer follows a sample of the changes
 * @param messages what operators read about failures
 */
public record ReflectorEnvironment(
        SteadyClock clock,
        RandomGenerator random,
        Sleeper sleeper,
        ListLimiter limiter,
        ConnectionProbe probe,
        ChangeTracer tracer,
        FailureMessages messages) {

    /** Returns the environment for the reflectors of another source, which returns on its own. */
    public ReflectorEnvironment of(Source source) {
        ConnectionProbe other =
                new ConnectionProbe(source::acceptsConnections, clock, random, sleeper);
        return new ReflectorEnvironment(clock, random, sleeper, limiter, other, tracer, messages);
    }
}
