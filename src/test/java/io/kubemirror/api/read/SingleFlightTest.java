package io.kubemirror.api.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import org.junit.jupiter.api.Test;

/** Tests which callers share a result, with calls that run when the test says so. */
class SingleFlightTest {

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final AtomicInteger errands = new AtomicInteger();
    private final SingleFlight<String, Integer> flight = new SingleFlight<>(tasks::add);

    private CompletableFuture<Integer> join(String wanted) {
        return flight.join(wanted, errands::incrementAndGet);
    }

    private static int result(CompletableFuture<Integer> share) {
        return share.getNow(null);
    }

    @Test
    void waiting_callers_share_the_next_call_not_the_running_one() {
        CompletableFuture<Integer> first = join("a");
        CompletableFuture<Integer> second = join("a");
        CompletableFuture<Integer> third = join("a");
        assertThat(tasks).hasSize(1);

        tasks.remove().run();
        assertThat(result(first)).isEqualTo(1);
        assertThat(second).isNotDone();
        CompletableFuture<Integer> fourth = join("a");

        tasks.remove().run();
        assertThat(result(second)).isEqualTo(2);
        assertThat(result(third)).isEqualTo(2);

        tasks.remove().run();
        assertThat(result(fourth)).isEqualTo(3);
        assertThat(tasks).isEmpty();
    }

    @Test
    void call_whose_thread_cannot_start_fails_and_keeps_no_key() {
        Queue<Executor> threads =
                new ArrayDeque<>(
                        List.of(
                                _ -> {
                                    throw new OutOfMemoryError("unable to create native thread");
                                },
                                Runnable::run));
        SingleFlight<String, Integer> failing =
                new SingleFlight<>(task -> threads.remove().execute(task));

        assertThat(failing.join("a", () -> 1)).isCompletedExceptionally();
        assertThat(result(failing.join("b", () -> 2))).isEqualTo(2);
    }

    @Test
    void call_that_waits_fails_if_its_thread_cannot_start() {
        Queue<Executor> threads =
                new ArrayDeque<>(
                        List.of(
                                tasks::add,
                                _ -> {
                                    throw new IllegalStateException("no thread");
                                },
                                Runnable::run));
        SingleFlight<String, Integer> failing =
                new SingleFlight<>(task -> threads.remove().execute(task));
        CompletableFuture<Integer> first = failing.join("a", () -> 1);
        CompletableFuture<Integer> waiting = failing.join("a", () -> 2);

        tasks.remove().run();

        assertThat(result(first)).isEqualTo(1);
        assertThat(waiting).isCompletedExceptionally();
        assertThat(result(failing.join("a", () -> 3))).isEqualTo(3);
    }

    @Test
    void failed_call_does_not_block_the_next_call() {
        CompletableFuture<Integer> failing =
                flight.join(
                        "a",
                        () -> {
                            if (errands.incrementAndGet() == 1) {
                                throw new IllegalArgumentException("as planned");
                            }
                            return errands.get();
                        });
        CompletableFuture<Integer> next = join("a");
        tasks.remove().run();
        assertThatThrownBy(() -> result(failing)).hasRootCauseMessage("as planned");
        tasks.remove().run();
        assertThat(result(next)).isEqualTo(2);
    }
}
