package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that nothing but a stop ends the runs. */
class PeriodicThreadTest {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final Duration AFTER_FAILURE = Duration.ofMinutes(1);

    private final List<Duration> waits = new ArrayList<>();
    private int runs;

    private void wait(Duration pause) throws InterruptedException {
        waits.add(pause);
        if (waits.size() == 4) {
            throw new InterruptedException();
        }
    }

    @Test
    void run_that_fails_is_followed_by_another() {
        new PeriodicThread(
                        "test",
                        () -> {
                            if (++runs == 2) {
                                throw new StackOverflowError("as scripted");
                            }
                            return PAUSE;
                        },
                        AFTER_FAILURE,
                        this::wait)
                .run();

        assertThat(waits).containsExactly(PAUSE, AFTER_FAILURE, PAUSE, PAUSE);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void pauses_that_fail_one_after_the_other_are_followed_by_another_run(int failures) {
        new PeriodicThread(
                        "test",
                        () -> {
                            runs++;
                            return PAUSE;
                        },
                        AFTER_FAILURE,
                        pause -> {
                            wait(pause);
                            if (waits.size() <= failures) {
                                throw new IllegalStateException("as scripted");
                            }
                        })
                .run();

        assertThat(waits)
                .containsExactly(
                        PAUSE, AFTER_FAILURE, failures == 1 ? PAUSE : AFTER_FAILURE, PAUSE);
        assertThat(runs).isEqualTo(4 - failures);
    }

    @Test
    void stop_waits_for_the_run_in_progress() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        PeriodicThread thread =
                new PeriodicThread(
                        "test",
                        () -> {
                            running.countDown();
                            while (!Thread.currentThread().isInterrupted()) {
                                Thread.onSpinWait();
                            }
                            interrupted.set(true);
                            return PAUSE;
                        },
                        AFTER_FAILURE,
                        Thread::sleep);
        thread.start();
        running.await();
        assertThat(thread.isRunning()).isTrue();

        thread.stop(Duration.ofMinutes(1));

        assertThat(interrupted).isTrue();
        assertThat(thread.isRunning()).isFalse();
    }
}
