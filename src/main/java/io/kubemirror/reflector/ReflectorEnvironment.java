package io.kubemirror.reflector;

import io.kubemirror.model.Sleeper;

import java.time.InstantSource;
import java.util.random.RandomGenerator;

/**
 * What a reflector takes from the world around it, so that tests can move it by hand.
 *
 * @param clock tells the time
 * @param random scatters waits
 * @param sleeper waits
 * @param limiter bounds the lists of all reflectors together
 * @param probe notices for all reflectors together that the server can be reached again
 */
public record ReflectorEnvironment(
        InstantSource clock,
        RandomGenerator random,
        Sleeper sleeper,
        ListLimiter limiter,
        ConnectionProbe probe) {

    /**
     * The surroundings of a reflector that shares its turns with nobody, and waits for its whole
     * delay when the server cannot be reached.
     */
    public ReflectorEnvironment(InstantSource clock, RandomGenerator random, Sleeper sleeper) {
        this(clock, random, sleeper, new ListLimiter(1), ConnectionProbe.none(sleeper));
    }
}
