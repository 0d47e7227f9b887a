package io.kubemirror.parity;

import java.util.function.Consumer;

/**
 * A scenario that runs against both sides.
 *
 * @param rows the rows of the specification that it shows
 * @param title what happens
 * @param plot what is done
 */
record ParityScenario(String rows, String title, Consumer<ScenarioContext> plot) {

    @Override
    public String toString() {
        return rows + ": " + title;
    }
}
