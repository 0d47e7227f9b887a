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
 */
public record Surroundings(InstantSource clock, RandomGenerator random, Sleeper sleeper) {

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
