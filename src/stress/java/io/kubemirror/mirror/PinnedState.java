package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.mirror.MirrorMemory.Limits;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Readers pin a state and leave while the writer replaces it beyond what they may hold. */
final class PinnedState implements ConcurrentScenario {

    private final MemoryBudget all = MemoryBudget.ofProcess(8_000);
    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    new Window(1, 1, Duration.ZERO, 1),
                    _ -> {},
                    System::nanoTime);
    private final MirrorWriter writer =
            new MirrorWriter(
                    mirror, () -> 0, UpdateVisibility.ALL, new MirrorMemory(all), Limits.NONE);
    private final AtomicInteger aborted = new AtomicInteger();

    PinnedState() {
        writer.resync().complete(new Revision("10"));
        writer.upsert(object("a/x", 11));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::write, this::read, this::read);
    }

    private void write() {
        writer.upsert(object("a/x", 12));
        writer.upsert(object("a/x", 13));
    }

    private void read() {
        mirror.pin(mirror.revision(), aborted::incrementAndGet).close();
    }

    @Override
    public void verify() {
        writer.bookmark(new Revision("14"));
        assertThat(aborted.get()).isBetween(0, 2);
        assertThat(used("snapshots")).isZero();
        assertThat(used("objects") + used("history")).isEqualTo(all.used());
    }

    private long used(String part) {
        return all.parts().stream()
                .filter(some -> some.name().equals(part))
                .mapToLong(MemoryBudget::used)
                .sum();
    }
}
