package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.Mirrors;

/**
 * A reader pins the present state while the writer replaces its objects. Whatever it pinned, it is
 * counted after the next changes, and ended once if it holds too much.
 *
 * <p>Fails if a pin that is added while the pins are counted is never counted.
 */
final class PinnedState implements ConcurrentScenario {

    private static final long SIZE = object("a/x", 10).heapBytes();

    /** Its history has one change, so it has the last two states. */
    private final Mirror mirror = Mirrors.pods(new Window(1, 1, Duration.ZERO, 1 << 20));

    /** An eighth of it has room for what one object was. */
    private final MirrorWriter writer =
            new MirrorWriter(
                    mirror,
                    () -> 0,
                    new MirrorMemory(MemoryBudget.of(SIZE * 8)),
                    new MirrorMemory.Limits(0, 0));

    private final AtomicInteger ended = new AtomicInteger();

    PinnedState() {
        Resync resync = writer.resync();
        resync.add(object("a/x", 10));
        resync.add(object("a/y", 10));
        resync.complete(new Revision("10"));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(
                () -> mirror.pin(mirror.snapshot().orElseThrow(), ended::incrementAndGet),
                () -> change("a/x", 11));
    }

    private void change(String path, int revision) {
        writer.upsert(object(path, revision));
    }

    @Override
    public void verify() {
        change("a/x", 12);
        change("a/y", 13);
        change("a/x", 14);
        assertThat(ended).hasValue(1);
        assertThat(mirror.pinned()).isZero();
    }
}
