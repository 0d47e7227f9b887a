package io.kubemirror.feature.union;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.interleaving.Interleavings;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Explores interleavings of a union, its members, and its readers. */
class UnionInterleavingsTest {

    @ParameterizedTest
    @ValueSource(classes = {StateReaderOfUnion.class, WaitingUnion.class})
    void every_interleaving_keeps_the_promise(Class<? extends ConcurrentScenario> scenario)
            throws Exception {
        Interleavings.explore(scenario);
    }
}
