package io.kubemirror.feature.stream;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.watch.CoalescingTask;
import io.kubemirror.feature.stream.WatchMultiplexer.ReadyWatches;
import io.kubemirror.interleaving.ConcurrentScenario;

/**
 * The threads of two mirrors publish changes while a stream of both runs: the stream sees the last
 * change of each.
 *
 * <p>The edge is in {@link ReadyWatches}: a thread marks the watch before it signals the task, and
 * a run clears the mark before the watch looks. In the other order, or if the mark were cleared
 * when the watch has looked, a change could be published and its mark be gone.
 */
public final class ReadyStream implements ConcurrentScenario {

    private static final ScheduledExecutorService TIMERS = new ScheduledThreadPoolExecutor(1);
    private static final int MIRRORS = 2;
    private static final int CHANGES = 2;

    private final AtomicIntegerArray published = new AtomicIntegerArray(MIRRORS);
    private final AtomicIntegerArray seen = new AtomicIntegerArray(MIRRORS);
    private CoalescingTask task = new CoalescingTask(_ -> {}, TIMERS, () -> 0);
    private ReadyWatches ready = new ReadyWatches(MIRRORS, task);

    @Override
    public List<Runnable> actors(Spawner spawner) {
        task = new CoalescingTask(spawner::spawn, TIMERS, () -> 0);
        ready = new ReadyWatches(MIRRORS, task);
        return List.of(() -> task.start(this::run), () -> publish(0), () -> publish(1));
    }

    private void publish(int mirror) {
        for (int change = 1; change <= CHANGES; change++) {
            published.set(mirror, change);
            ready.signal(mirror);
        }
    }

    private void run() {
        while (ready.takeNext()) {
            seen.set(ready.last(), published.get(ready.last()));
        }
    }

    @Override
    public void verify() {
        for (int mirror = 0; mirror < MIRRORS; mirror++) {
            assertThat(seen.get(mirror)).as("the last change is seen").isEqualTo(CHANGES);
        }
    }
}
