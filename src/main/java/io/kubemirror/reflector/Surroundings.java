package io.kubemirror.reflector;

import java.time.Duration;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/**
 * What a reflector takes from the world around it, so that tests can move it by hand.
 *
 * @param clock tells the time
 * @param random scatters waits
 * @param sleeper waits
 * @param turns bounds the lists of all reflectors together
 * @param probe notices for all reflectors together that the server can be reached again
 */
public record Surroundings(
        InstantSource clock,
        RandomGenerator random,
        Sleeper sleeper,
        Turns turns,
        ConnectionProbe probe) {

    /**
     * The surroundings of a reflector that shares its turns with nobody, and waits for its whole
     * delay when the server cannot be reached.
     */
    public Surroundings(InstantSource clock, RandomGenerator random, Sleeper sleeper) {
        this(clock, random, sleeper, new Turns(1), ConnectionProbe.none(sleeper));
    }

    /** Waits. */
    @FunctionalInterface
    public interface Sleeper {

        /**
         * Waits for a while.
         *
         * @throws InterruptedException if the thread is interrupted
         */
        void sleep(Duration duration) throws InterruptedException;
    }
}
