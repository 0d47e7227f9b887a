package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** One thread runs a few tasks, several threads run many, and no task is lost. */
class WatchExecutorTest {

    @AutoClose private final WatchExecutor executor = new WatchExecutor(3);
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    @Test
    void tasks_run_in_the_order_of_submission() throws Exception {
        List<Integer> taken = new CopyOnWriteArrayList<>();
        CountDownLatch all = new CountDownLatch(1_000);
        try (WatchExecutor alone = new WatchExecutor(1)) {
            for (int i = 0; i < 1_000; i++) {
                int number = i;
                alone.execute(
                        () -> {
                            taken.add(number);
                            all.countDown();
                        });
            }
            all.await();
        }
        assertThat(taken).isEqualTo(IntStream.range(0, 1_000).boxed().toList());
    }

    @Test
    void another_thread_joins_when_many_tasks_are_queued() throws Exception {
        CountDownLatch other = new CountDownLatch(1);
        CountDownLatch first = new CountDownLatch(1);
        executor.execute(() -> await(first));
        for (int i = 0; i < 10_000; i++) {
            executor.execute(other::countDown);
        }
        // The first is still at work.
        other.await();
        first.countDown();
    }

    @Test
    void few_tasks_wait_for_the_active_thread() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(100);
        executor.execute(
                () -> {
                    threads.add(Thread.currentThread());
                    await(first);
                });
        for (int i = 0; i < 100; i++) {
            executor.execute(
                    () -> {
                        threads.add(Thread.currentThread());
                        all.countDown();
                    });
        }
        // A thread that had joined would be among the threads at the end.
        first.countDown();
        all.await();
        assertThat(threads).hasSize(1);
    }

    @Test
    void failed_task_does_not_stop_other_tasks() throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        executor.execute(
                () -> {
                    throw new AssertionError("on purpose");
                });
        executor.execute(taken::countDown);
        taken.await();
    }

    /** A thread that could not be created must not count as one that is at work. */
    @Test
    void tasks_run_after_a_thread_could_not_be_created() throws Exception {
        AtomicBoolean failing = new AtomicBoolean(true);
        ThreadFactory factory =
                task -> {
                    if (failing.getAndSet(false)) {
                        throw new OutOfMemoryError("unable to create native thread, on purpose");
                    }
                    return Thread.ofPlatform().daemon().unstarted(task);
                };
        CountDownLatch taken = new CountDownLatch(2);
        try (WatchExecutor unlucky = new WatchExecutor(1, factory)) {
            assertThatThrownBy(() -> unlucky.execute(taken::countDown))
                    .isInstanceOf(OutOfMemoryError.class);
            unlucky.execute(taken::countDown);
            taken.await();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }
}
