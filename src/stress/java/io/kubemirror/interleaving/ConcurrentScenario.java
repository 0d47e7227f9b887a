package io.kubemirror.interleaving;

import module java.base;

/** A scenario of several threads, and the condition that must hold afterward. */
public interface ConcurrentScenario {

    /**
     * Returns the actors. Each runs on a separate thread. Called once on a new scenario.
     *
     * @param spawner runs each task as another actor, for code that starts threads itself
     */
    List<Runnable> actors(Spawner spawner);

    /** Checks the result when all actors have ended; throws an {@link AssertionError}. */
    void verify();

    /** Starts another actor while the scenario runs. */
    @FunctionalInterface
    interface Spawner {

        /** Starts an actor; returns at once. */
        void spawn(Runnable actor);
    }
}
