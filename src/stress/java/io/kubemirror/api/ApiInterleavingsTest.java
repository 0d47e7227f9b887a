package io.kubemirror.api;

import io.kubemirror.api.watch.DueTask;
import io.kubemirror.api.watch.EndedWatch;
import io.kubemirror.api.watch.LateWatch;
import io.kubemirror.api.watch.LeavingWatch;
import io.kubemirror.api.watch.SignaledTask;
import io.kubemirror.api.watch.StalledWebSocket;
import io.kubemirror.api.watch.WatchOfRemovedMirror;
import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.interleaving.Interleavings;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Explores interleavings of the threads that serve clients. */
class ApiInterleavingsTest {

    @ParameterizedTest
    @ValueSource(
            classes = {
                SignaledTask.class,
                DueTask.class,
                EndedWatch.class,
                LateWatch.class,
                LeavingWatch.class,
                StalledWebSocket.class,
                WatchOfRemovedMirror.class,
                StalledWebSocket.ReadByClient.class
            })
    void every_interleaving_keeps_the_promise(Class<? extends ConcurrentScenario> scenario)
            throws Exception {
        Interleavings.explore(scenario);
    }
}
