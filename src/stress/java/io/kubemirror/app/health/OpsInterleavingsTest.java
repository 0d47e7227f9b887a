package io.kubemirror.app.health;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.interleaving.Interleavings;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Explores interleavings of health requests, scrapes, and changes of mirrors. */
class OpsInterleavingsTest {

    @ParameterizedTest
    @ValueSource(classes = SteadyHealth.class)
    void every_interleaving_keeps_the_promise(Class<? extends ConcurrentScenario> scenario)
            throws Exception {
        Interleavings.explore(scenario);
    }
}
