package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicInteger;

/** A watch can be told to end wherever it is. */
class EndingTest {

    private final Ending ending = new Ending();
    private final AtomicInteger told = new AtomicInteger();

    @Test
    void a_watch_is_told_of_the_wish() {
        ending.tell(told::incrementAndGet);
        assertThat(ending.isRequested()).isFalse();
        assertThat(told).hasValue(0);
        ending.request();
        assertThat(ending.isRequested()).isTrue();
        assertThat(told).hasValue(1);
    }

    @Test
    void a_watch_that_comes_after_the_wish_is_told_at_once() {
        ending.request();
        ending.tell(told::incrementAndGet);
        assertThat(told).hasValue(1);
    }

    @Test
    void a_wish_before_anybody_listens_is_not_lost() {
        ending.request();
        assertThat(ending.isRequested()).isTrue();
    }
}
