package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.UpdateVisibility;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memory of the state that a conflated watch holds is needed while the watch takes another one:
 * it holds the newest state afterwards, or it is signaled and knows why.
 */
public final class AbortedConflation implements ConcurrentScenario {

    private final MemoryBudget all = MemoryBudget.ofProcess(20_000);
    private final Mirror mirror =
            new Mirror(
                    ApiFixture.scope("pods", ""),
                    new Window(1, 1, Duration.ZERO, 1),
                    _ -> {},
                    System::nanoTime);
    private final MirrorWriter writer =
            new MirrorWriter(
                    mirror,
                    () -> 0,
                    UpdateVisibility.ALL,
                    new MirrorMemory(all),
                    MirrorMemory.Limits.NONE);
    private final AtomicInteger signals = new AtomicInteger();
    private final Conflation conflation;

    /** Creates a watch that holds the first state. */
    public AbortedConflation() {
        writer.resync().complete(new Revision("10"));
        writer.upsert(ApiSamples.object("a", "x".repeat(4_000), 11));
        CollectionRequest wanted = WatchSessions.wanted(mirror, Selection.everything());
        conflation = new Conflation(wanted, all, () -> {}, signals::incrementAndGet);
        conflation.reach(mirror.position().orElseThrow().cursor());
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::write, this::reach);
    }

    private void write() {
        writer.upsert(ApiSamples.object("a", "x".repeat(4_000), 12));
        writer.upsert(ApiSamples.object("a", "x".repeat(4_000), 13));
    }

    private void reach() {
        conflation.reach(mirror.position().orElseThrow().cursor());
    }

    @Override
    public void verify() {
        writer.bookmark(new Revision("14"));
        long held = used("snapshots");
        assertThat(held > 2_500 && !conflation.isAborted())
                .as("holds %d bytes more than it may", held)
                .isFalse();
        assertThat(!conflation.isAborted() || signals.get() > 0).as("signaled").isTrue();
        conflation.reach(mirror.position().orElseThrow().cursor());
        assertThat(conflation.isAborted()).isFalse();
        conflation.close();
        writer.bookmark(new Revision("15"));
        assertThat(used("snapshots")).isZero();
    }

    private long used(String part) {
        return all.parts().stream()
                .filter(some -> some.name().equals(part))
                .mapToLong(MemoryBudget::used)
                .sum();
    }
}
