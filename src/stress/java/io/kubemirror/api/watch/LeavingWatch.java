package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiSamples;

/** A watch is asked to leave while it catches up with its mirror: it ends. */
public final class LeavingWatch extends WatchScenario {

    private final AtomicInteger ends = new AtomicInteger();

    @Override
    public List<Runnable> actors(Spawner spawner) {
        CoalescingTask task = task(spawner);
        Watch watch = watch(task);
        WatchConnection connection = new WatchConnection(task, (_, _) -> true, List.of(watch));
        // It may leave after a bookmark that is later than its beginning.
        writer().upsert(ApiSamples.object("a", "y", 12));
        return List.of(() -> connection.start(ends::incrementAndGet), watch::leave);
    }

    @Override
    public void verify() {
        assertThat(ends).hasValue(1);
    }
}
