package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;

/** Signals arrive while a task runs: none is lost, and no two runs overlap. */
public final class SignaledTask implements ConcurrentScenario {

    private static final ScheduledExecutorService TIMERS = new ScheduledThreadPoolExecutor(1);

    private CoalescingTask task = new CoalescingTask(_ -> {}, TIMERS, () -> 0);
    private volatile int rung;
    private volatile int seen;
    private volatile boolean busy;

    @Override
    public List<Runnable> actors(Spawner spawner) {
        task = new CoalescingTask(spawner::spawn, TIMERS, () -> 0);
        return List.of(() -> task.start(this::turn), this::ring);
    }

    private void ring() {
        rung = 1;
        task.signal();
        rung = 2;
        task.signal();
    }

    private void turn() {
        assertThat(busy).as("another turn is taken").isFalse();
        busy = true;
        seen = rung;
        busy = false;
    }

    @Override
    public void verify() {
        assertThat(seen).as("the last ring was heard").isEqualTo(2);
    }
}
