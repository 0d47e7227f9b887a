package io.kubemirror.feature.stream;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.interleaving.Interleavings;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Explores interleavings of the threads of a stream. */
class StreamInterleavingsTest {

    @ParameterizedTest
    @ValueSource(classes = {ReadyStream.class})
    void every_interleaving_keeps_the_promise(Class<? extends ConcurrentScenario> scenario)
            throws Exception {
        Interleavings.explore(scenario);
    }
}
