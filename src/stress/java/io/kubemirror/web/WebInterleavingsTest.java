package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.interleaving.Budget;
import io.kubemirror.interleaving.Interleavings;
import io.kubemirror.interleaving.Scenario;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the threads that serve clients do at the same time. */
class WebInterleavingsTest {

    @ParameterizedTest
    @ValueSource(classes = {RungTurns.class, BusyCrew.class, LateWatch.class, RaisedFloor.class})
    void every_interleaving_keeps_the_promise(Class<? extends Scenario> scenario) throws Exception {
        Interleavings.Explored explored = Interleavings.explore(scenario, Budget.ofScenario());
        assertThat(explored.preemptions()).isPositive();
    }
}
