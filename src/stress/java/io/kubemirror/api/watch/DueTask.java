package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;

import java.lang.reflect.Proxy;

/**
 * Timers fire while runs move the deadline: each run that waits for a deadline is followed by
 * another run.
 */
public final class DueTask implements ConcurrentScenario {

    private static final int RUNS = 4;

    /** Timers that fire early, late, and after they were canceled. */
    private static final Object TIMER = proxy(ScheduledFuture.class, _ -> false);

    private CoalescingTask task = new CoalescingTask(_ -> {}, timers(_ -> {}), () -> 0);
    private volatile int runs;

    private interface Answer {
        Object to(Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, _, arguments) -> answer.to(arguments)));
    }

    private static ScheduledExecutorService timers(Spawner spawner) {
        return proxy(
                ScheduledExecutorService.class,
                arguments -> {
                    spawner.spawn((Runnable) arguments[0]);
                    return TIMER;
                });
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        task = new CoalescingTask(spawner::spawn, timers(spawner), () -> 0);
        return List.of(() -> task.start(this::run), () -> task.signal());
    }

    private void run() {
        int run = runs + 1;
        runs = run;
        if (run < RUNS) {
            task.signalBy(run);
        }
    }

    @Override
    public void verify() {
        assertThat(runs).as("no run waits for a timer that has fired").isGreaterThanOrEqualTo(RUNS);
    }
}
