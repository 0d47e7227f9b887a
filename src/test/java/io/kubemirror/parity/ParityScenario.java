package io.kubemirror.parity;

import module java.base;

/**
 * A scenario that runs against both sides.
 *
 * @param rows the ids of the rules that it shows
 * @param title the title in the table
 * @param plot the steps
 */
record ParityScenario(String rows, String title, Consumer<ScenarioContext> plot) {

    @Override
    public String toString() {
        return rows + ": " + title;
    }
}
