package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.jspecify.annotations.Nullable;

/** A watch starts, writes to a slow client, and is asked to end: it ends once, after its write. */
public final class EndedWatch extends WatchScenario {

    private final AtomicInteger writes = new AtomicInteger();
    private final AtomicInteger ends = new AtomicInteger();
    private volatile boolean writing;

    @Override
    public List<Runnable> actors(Spawner spawner) {
        WatchConnection watch = watch(spawner, (_, later) -> send(later, spawner));
        return List.of(() -> watch.start(this::end), watch::requestEnd);
    }

    private boolean send(Consumer<@Nullable IOException> later, Spawner client) {
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
        assertThat(open()).isZero();
    }
}
