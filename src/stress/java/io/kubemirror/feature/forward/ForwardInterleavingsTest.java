package io.kubemirror.feature.forward;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.interleaving.Interleavings;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Explores interleavings of the threads that pass requests on and read after writes. */
class ForwardInterleavingsTest {

    @ParameterizedTest
    @ValueSource(
            classes = {
                AnsweredBeforeMirror.class,
                EndedExchange.class,
                RaisedServedRevision.class,
                ShownWrite.class
            })
    void every_interleaving_keeps_the_promise(Class<? extends ConcurrentScenario> scenario)
            throws Exception {
        Interleavings.explore(scenario);
    }
}
