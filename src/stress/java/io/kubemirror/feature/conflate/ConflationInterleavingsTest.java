package io.kubemirror.feature.conflate;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.interleaving.Interleavings;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Explores interleavings of the threads of a conflated watch. */
class ConflationInterleavingsTest {

    @ParameterizedTest
    @ValueSource(classes = {AbortedConflation.class})
    void every_interleaving_keeps_the_promise(Class<? extends ConcurrentScenario> scenario)
            throws Exception {
        Interleavings.explore(scenario);
    }
}
