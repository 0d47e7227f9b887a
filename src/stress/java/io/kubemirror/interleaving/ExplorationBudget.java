package io.kubemirror.interleaving;

import module java.base;

/** The time for the exploration of each scenario. */
public final class ExplorationBudget {

    /** In seconds, for each scenario. */
    private static final int SECONDS = Integer.getInteger("stress.scenario-seconds", 2);

    private ExplorationBudget() {}

    /** The time for one scenario. */
    public static Duration ofScenario() {
        return Duration.ofSeconds(SECONDS);
    }
}
