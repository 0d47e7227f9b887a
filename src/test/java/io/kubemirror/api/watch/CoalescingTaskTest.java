package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Runs are sequential, and one follows each signal and each deadline. */
class CoalescingTaskTest {

    private static final long DAY = Duration.ofDays(1).toNanos();

    private final Queue<Runnable> waiting = new ArrayDeque<>();

    @AutoClose("shutdownNow")
    private final ScheduledThreadPoolExecutor timers = timers();

    private final CoalescingTask task = task(waiting::add);
    private final AtomicInteger taken = new AtomicInteger();
    private final Semaphore rings = new Semaphore(0);

    private static ScheduledThreadPoolExecutor timers() {
        ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1);
        timers.setRemoveOnCancelPolicy(true);
        return timers;
    }

    private CoalescingTask task(Executor executor) {
        return new CoalescingTask(executor, timers, System::nanoTime);
    }

    @Test
    void signals_that_arrive_together_are_one_run() {
        begin(taken::incrementAndGet);
        task.signal();
        task.signal();
        takeAll();
        assertThat(taken).hasValue(2);
    }

    @Test
    void signal_during_a_run_requests_another_run() {
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

    @Test
    void task_runs_again_after_an_error() {
        task.start(
                () -> {
                    if (taken.incrementAndGet() == 1) {
                        throw new StackOverflowError();
                    }
                });
        assertThatThrownBy(this::takeAll).isInstanceOf(StackOverflowError.class);
        task.signal();
        takeAll();
        assertThat(taken).hasValue(2);
    }

    @Test
    void deadline_signals_the_task_when_its_time_has_come() throws Exception {
        CoalescingTask timed = started();
        long until = System.nanoTime() + Duration.ofMillis(5).toNanos();
        timed.signalBy(until);
        rings.acquire();
        assertThat(System.nanoTime() - until).isNotNegative();
    }

    @Test
    void later_deadline_keeps_the_timer_and_an_earlier_one_replaces_it() throws Exception {
        CoalescingTask timed = started();
        long now = System.nanoTime();
        timed.signalBy(now + DAY);
        timed.signalBy(now + 2 * DAY);
        assertThat(timers.getQueue()).hasSize(1);
        timed.signalBy(now);
        rings.acquire();
    }

    /** A task whose runs, but for the first, are permits. */
    private CoalescingTask started() {
        CoalescingTask timed = task(Runnable::run);
        timed.start(rings::release);
        rings.acquireUninterruptibly();
        return timed;
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
