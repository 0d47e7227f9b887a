package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** A watch can be told to end wherever it is. */
class EndingTest {

    private final Ending ending = new Ending();

    @Test
    void who_waits_is_woken() throws InterruptedException {
        CountDownLatch waiting = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Thread.ofVirtual()
                .start(
                        () -> {
                            Optional<String> brought =
                                    ending.unlessRequested(
                                            () -> {
                                                waiting.countDown();
                                                new CountDownLatch(1).await();
                                                return "never";
                                            });
                            if (brought.isEmpty() && !Thread.currentThread().isInterrupted()) {
                                ended.countDown();
                            }
                        });
        waiting.await();
        ending.request();
        ended.await();
    }

    @Test
    void who_works_is_not_interrupted_but_does_not_wait_again() {
        assertThat(ending.unlessRequested(() -> "first")).contains("first");
        ending.request();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(ending.unlessRequested(() -> "second")).isEmpty();
    }

    @Test
    void an_interrupt_that_comes_too_late_for_a_wait_ends_the_next_one() {
        assertThat(
                        ending.unlessRequested(
                                () -> {
                                    ending.request();
                                    return "just in time";
                                }))
                .contains("just in time");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(ending.unlessRequested(() -> "more")).isEmpty();
    }
}
