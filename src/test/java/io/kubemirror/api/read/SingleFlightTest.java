package io.kubemirror.api.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import org.junit.jupiter.api.Test;

/** Tests which callers share a result, with calls that run when the test says so. */
class SingleFlightTest {

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final AtomicInteger errands = new AtomicInteger();
    private final SingleFlight<String, Integer> flight = new SingleFlight<>(2, tasks::add);

    private SingleFlight.Share<Integer> join(String wanted) {
        return flight.join(wanted, errands::incrementAndGet).orElseThrow();
    }

    private static int result(SingleFlight.Share<Integer> share) throws Exception {
        return share.await(Duration.ZERO);
    }

    @Test
    void waiting_callers_share_the_next_call_not_the_running_one() throws Exception {
        SingleFlight.Share<Integer> first = join("a");
        SingleFlight.Share<Integer> second = join("a");
        SingleFlight.Share<Integer> third = join("a");
        assertThat(tasks).hasSize(1);

        tasks.remove().run();
        assertThat(result(first)).isEqualTo(1);
        assertThat(second.result()).isNotDone();
        SingleFlight.Share<Integer> fourth = join("a");

        tasks.remove().run();
        assertThat(result(second)).isEqualTo(2);
        assertThat(result(third)).isEqualTo(2);

        tasks.remove().run();
        assertThat(result(fourth)).isEqualTo(3);
        assertThat(tasks).isEmpty();
    }

    @Test
    void call_whose_thread_cannot_start_fails_and_keeps_no_key() throws Exception {
        Queue<Executor> threads =
                new ArrayDeque<>(
                        List.of(
                                _ -> {
                                    throw new OutOfMemoryError("unable to create native thread");
                                },
                                Runnable::run));
        SingleFlight<String, Integer> failing =
                new SingleFlight<>(1, task -> threads.remove().execute(task));

        assertThat(failing.join("a", () -> 1).orElseThrow().result()).isCompletedExceptionally();
        assertThat(result(failing.join("b", () -> 2).orElseThrow())).isEqualTo(2);
    }

    @Test
    void call_that_waits_fails_if_its_thread_cannot_start() throws Exception {
        Queue<Executor> threads =
                new ArrayDeque<>(
                        List.of(
                                tasks::add,
                                _ -> {
                                    throw new IllegalStateException("no thread");
                                },
                                Runnable::run));
        SingleFlight<String, Integer> failing =
                new SingleFlight<>(1, task -> threads.remove().execute(task));
        SingleFlight.Share<Integer> first = failing.join("a", () -> 1).orElseThrow();
        SingleFlight.Share<Integer> waiting = failing.join("a", () -> 2).orElseThrow();

        tasks.remove().run();

        assertThat(result(first)).isEqualTo(1);
        assertThat(waiting.result()).isCompletedExceptionally();
        assertThat(result(failing.join("a", () -> 3).orElseThrow())).isEqualTo(3);
    }

    @Test
    void different_keys_do_not_wait_for_each_other() {
        join("a");
        join("b");

        assertThat(tasks).hasSize(2);
    }

    @Test
    void concurrent_keys_are_limited() {
        join("a");
        join("b");
        assertThat(flight.join("c", errands::incrementAndGet)).isEqualTo(Optional.empty());
        join("a");

        tasks.remove().run();
        tasks.remove().run();
        join("c");
    }

    @Test
    void caller_timeout_does_not_cancel_the_call() throws Exception {
        SingleFlight.Share<Integer> hasty = join("a");
        assertThatThrownBy(() -> hasty.await(Duration.ZERO)).isInstanceOf(TimeoutException.class);

        tasks.remove().run();
        assertThat(result(hasty)).isEqualTo(1);
    }

    @Test
    void an_errand_that_ends_with_an_error_fails_its_callers_and_no_others() throws Exception {
        SingleFlight.Share<Integer> failing =
                flight.join(
                                "a",
                                () -> {
                                    throw new StackOverflowError("as planned");
                                })
                        .orElseThrow();
        SingleFlight.Share<Integer> next = flight.join("a", () -> 2).orElseThrow();
        tasks.remove().run();
        assertThatThrownBy(() -> result(failing)).hasRootCauseMessage("as planned");
        tasks.remove().run();
        assertThat(result(next)).isEqualTo(2);
    }

    @Test
    void failed_call_does_not_block_the_next_call() throws Exception {
        SingleFlight.Share<Integer> failing =
                flight.join(
                                "a",
                                () -> {
                                    if (errands.incrementAndGet() == 1) {
                                        throw new IllegalArgumentException("as planned");
                                    }
                                    return errands.get();
                                })
                        .orElseThrow();
        SingleFlight.Share<Integer> next = join("a");
        tasks.remove().run();
        assertThatThrownBy(() -> result(failing)).hasRootCauseMessage("as planned");
        tasks.remove().run();
        assertThat(result(next)).isEqualTo(2);
    }
}
