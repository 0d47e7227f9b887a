package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.model.Revision;

/**
 * A mirror ends while one reader leaves its state and another one pins a state and leaves it. The
 * writer does not count after its end, so the readers do.
 *
 * <p>Fails if the writer counts for the last time before it sets what the readers call.
 */
final class PinnedEnd implements ConcurrentScenario {

    private final BoundedMirror bounded = new BoundedMirror(8_000);
    private final MirrorWriter writer = bounded.writer();
    private final Pin early;

    PinnedEnd() {
        writer.upsert(object("a/x", 11));
        early = bounded.mirror().pin(new Revision("11"), () -> {});
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(writer::end, early::close, this::comeAndLeave);
    }

    private void comeAndLeave() {
        Mirror mirror = bounded.mirror();
        mirror.pin(mirror.revision(), () -> {}).close();
    }

    @Override
    public void verify() {
        assertThat(bounded.used("snapshots")).isZero();
        assertThat(bounded.all().used()).isZero();
    }
}
