package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicInteger;

/** A watch can be told to end wherever it is. */
class StopSignalTest {

    private final StopSignal stopSignal = new StopSignal();
    private final AtomicInteger told = new AtomicInteger();

    @Test
    void a_watch_is_told_of_the_wish() {
        stopSignal.onRequest(told::incrementAndGet);
        assertThat(stopSignal.isRequested()).isFalse();
        assertThat(told).hasValue(0);
        stopSignal.request();
        assertThat(stopSignal.isRequested()).isTrue();
        assertThat(told).hasValue(1);
    }

    @Test
    void a_watch_that_comes_after_the_wish_is_told_at_once() {
        stopSignal.request();
        stopSignal.onRequest(told::incrementAndGet);
        assertThat(told).hasValue(1);
    }

    @Test
    void a_wish_before_anybody_listens_is_not_lost() {
        stopSignal.request();
        assertThat(stopSignal.isRequested()).isTrue();
    }
}
