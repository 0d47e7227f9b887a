package io.kubemirror.interleaving;

import java.util.List;

/** What several threads do at the same time, and what has to be true afterwards. */
public interface ConcurrentScenario {

    /**
     * The actors, each of which runs on a thread of its own. Called once on a new scenario.
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
