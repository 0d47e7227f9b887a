package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A watch has its turns one after the other, and one after every ring. */
@Timeout(60)
class CoalescingTaskTest {

    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final CoalescingTask task = new CoalescingTask(waiting::add);
    private final AtomicInteger taken = new AtomicInteger();

    @Test
    void whoever_rings_before_the_beginning_rings_for_the_first_turn() {
        task.signal();
        task.signal();
        assertThat(waiting).isEmpty();
        task.start(taken::incrementAndGet);
        takeAll();
        assertThat(taken).hasValue(1);
    }

    @Test
    void rings_that_come_together_are_one_turn() {
        begin(taken::incrementAndGet);
        task.signal();
        task.signal();
        takeAll();
        assertThat(taken).hasValue(2);
    }

    @Test
    void a_ring_during_a_turn_is_for_another_one() {
        begin(
                () -> {
                    if (taken.incrementAndGet() == 1) {
                        task.signal();
                        assertThat(waiting).isEmpty();
                    }
                });
        assertThat(taken).hasValue(2);
        assertThat(waiting).isEmpty();
    }

    /** Whatever happens before a ring, a turn that begins afterwards sees. */
    @Test
    void turns_never_overlap_and_no_ring_is_lost_on_many_threads() throws Exception {
        int[] counted = {0, 0};
        AtomicInteger rung = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            CoalescingTask crowded = new CoalescingTask(threads);
            crowded.start(
                    () -> {
                        counted[0]++;
                        counted[1] = rung.get();
                        if (counted[1] == 40_000) {
                            all.countDown();
                        }
                    });
            for (int thread = 0; thread < 4; thread++) {
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    for (int i = 0; i < 10_000; i++) {
                                        rung.incrementAndGet();
                                        crowded.signal();
                                    }
                                });
            }
            all.await();
        }
        assertThat(counted[0]).isBetween(1, 40_001);
        assertThat(counted[1]).isEqualTo(40_000);
    }

    private void begin(Runnable turn) {
        task.start(turn);
        takeAll();
    }

    private void takeAll() {
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
    }
}
