package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A watch starts, writes to a slow client, and is asked to end: it ends once, after its write. */
public final class EndedWatch implements ConcurrentScenario {

    private static final ScheduledThreadPoolExecutor TIMERS = new ScheduledThreadPoolExecutor(1);

    private final Mirror mirror =
            new Mirror(
                    ApiFixture.scope("pods", ""),
                    Window.standard(),
                    Runnable::run,
                    System::nanoTime);
    private final MirrorWriter writer = new MirrorWriter(mirror, () -> 0);
    private final WatchRegistry registry = new WatchRegistry(() -> 0);
    private final AtomicInteger writes = new AtomicInteger();
    private final AtomicInteger ends = new AtomicInteger();
    private volatile boolean writing;

    EndedWatch() {
        writer.resync().complete(new Revision("10"));
        writer.upsert(ApiSamples.object("a", "x", 11));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        CoalescingTask task = new CoalescingTask(spawner::spawn, TIMERS, () -> 0);
        WatchSession watch =
                WatchSessions.add(registry, mirror, task, (_, later) -> send(later, spawner));
        return List.of(() -> watch.start(this::end), watch::requestEnd);
    }

    private boolean send(Consumer<@Nullable IOException> later, ConcurrentScenario.Spawner client) {
        assertThat(writing).as("the write before it is over").isFalse();
        writing = true;
        writes.incrementAndGet();
        client.spawn(() -> finish(later));
        return false;
    }

    private void finish(Consumer<@Nullable IOException> later) {
        writing = false;
        later.accept(null);
    }

    private void end() {
        assertThat(writing).as("a write is finished before the watch ends").isFalse();
        ends.incrementAndGet();
    }

    @Override
    public void verify() {
        assertThat(ends).hasValue(1);
        assertThat(writes.get()).isBetween(0, 1);
        assertThat(registry.of(mirror)).isEmpty();
    }
}
