package io.kubemirror.reflector;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.interleaving.Interleavings;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Explores interleavings of what reflectors share with each other and with operators. */
class ReflectorInterleavingsTest {

    @ParameterizedTest
    @ValueSource(classes = FirstReflector.class)
    void every_interleaving_keeps_the_promise(Class<? extends ConcurrentScenario> scenario)
            throws Exception {
        Interleavings.explore(scenario);
    }
}
