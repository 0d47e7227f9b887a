package io.kubemirror.feature.demand;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.interleaving.Interleavings;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Explores interleavings of requests and the end of mirrors on demand. */
class DemandInterleavingsTest {

    @ParameterizedTest
    @ValueSource(classes = UsedWhileEnding.class)
    void every_interleaving_keeps_the_promise(Class<? extends ConcurrentScenario> scenario)
            throws Exception {
        Interleavings.explore(scenario);
    }
}
