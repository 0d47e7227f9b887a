package io.kubemirror.feature.conflate;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.watch.Watches;
import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.BoundedMirror;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

/**
 * The memory of the state that a conflated watch holds is needed while the watch takes another one:
 * it holds the newest state afterwards, which is charged, or it is signaled and knows why.
 *
 * <p>Fails if the watch is signaled before the flag is written, and if the flag is cleared after
 * the pin of the next state has been added.
 */
public final class AbortedConflation implements ConcurrentScenario {

    private final BoundedMirror bounded = new BoundedMirror(20_000);
    private final Mirror mirror = bounded.mirror();
    private final MirrorWriter writer = bounded.writer();
    private final AtomicInteger signals = new AtomicInteger();
    private final Conflation conflation;

    /** Creates a watch that holds the first state. */
    public AbortedConflation() {
        writer.upsert(ApiSamples.object("a", "x".repeat(4_000), 11));
        CollectionRequest wanted = Watches.wanted(mirror, Selection.everything());
        conflation = new Conflation(wanted, bounded.all(), () -> {}, this::signal);
        conflation.reach(mirror.position().orElseThrow().cursor());
    }

    /** A run of the watch looks at the flag after it has been signaled. */
    private void signal() {
        if (conflation.isAborted()) {
            signals.incrementAndGet();
        }
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
        long held = bounded.used("snapshots");
        assertThat(held > 2_500 && !conflation.isAborted())
                .as("holds %d bytes more than it may", held)
                .isFalse();
        assertThat(!conflation.isAborted() || signals.get() > 0).as("signaled").isTrue();
        // The history has the state before its only change.
        writer.upsert(ApiSamples.object("a", "x".repeat(4_000), 15));
        writer.upsert(ApiSamples.object("a", "x".repeat(4_000), 16));
        assertThat(conflation.isAborted()).as("what it held was charged").isTrue();
        conflation.reach(mirror.position().orElseThrow().cursor());
        assertThat(conflation.isAborted()).isFalse();
        conflation.close();
        writer.bookmark(new Revision("17"));
        assertThat(bounded.used("snapshots")).isZero();
    }
}
