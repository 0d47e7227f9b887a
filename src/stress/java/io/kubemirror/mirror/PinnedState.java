package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * Readers pin a state while the writer replaces it beyond what they may hold. One leaves at once;
 * what the other holds is charged until it leaves.
 *
 * <p>Fails if a reader notes the age of its pin before it adds the pin.
 */
final class PinnedState implements ConcurrentScenario {

    private final BoundedMirror bounded = new BoundedMirror(8_000);
    private final MirrorWriter writer = bounded.writer();
    private final AtomicInteger left = new AtomicInteger();
    private final AtomicBoolean aborted = new AtomicBoolean();
    private final Pin early;
    private @Nullable Pin late;

    PinnedState() {
        writer.upsert(object("a/x", 11));
        early = bounded.mirror().pin(new Revision("11"), () -> {});
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::write, this::leave, this::stay);
    }

    private void write() {
        writer.upsert(object("a/x", 12));
        writer.upsert(object("a/x", 13));
    }

    private void leave() {
        early.close();
        Mirror mirror = bounded.mirror();
        mirror.pin(mirror.revision(), left::incrementAndGet).close();
    }

    private void stay() {
        Mirror mirror = bounded.mirror();
        late = mirror.pin(mirror.revision(), () -> aborted.set(true));
    }

    @Override
    public void verify() {
        // The history has the state before its only change.
        writer.upsert(object("a/x", 14));
        writer.upsert(object("a/x", 15));
        assertThat(bounded.used("snapshots") > 0 || aborted.get()).as("charged").isTrue();
        Objects.requireNonNull(late).close();
        writer.bookmark(new Revision("16"));
        assertThat(left.get()).isBetween(0, 1);
        assertThat(bounded.used("snapshots")).isZero();
        assertThat(bounded.used("objects") + bounded.used("history"))
                .isEqualTo(bounded.all().used());
    }
}
