package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.SnapshotPins.Pin;

import org.jspecify.annotations.Nullable;

/**
 * A reader pins a state while the writer counts the pins, outside the monitor in which it otherwise
 * does so.
 *
 * <p>Fails if the writer forgets the oldest age after it has looked at the pins.
 */
final class PinnedDuringCount implements ConcurrentScenario {

    private final BoundedMirror bounded = new BoundedMirror(8_000);
    private final Mirror mirror = bounded.mirror();
    private final SnapshotPins pins = mirror.pins();
    private final View old;
    private @Nullable Pin late;

    PinnedDuringCount() {
        MirrorWriter writer = bounded.writer();
        writer.upsert(object("a/x", 11));
        old = mirror.view();
        writer.upsert(object("a/x", 12));
        writer.upsert(object("a/x", 13));
        pinOld().close();
    }

    private Pin pinOld() {
        return pins.add(old.era(), Objects.requireNonNull(old.snapshot()), () -> {});
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(() -> pins.held(mirror.view()), () -> late = pinOld());
    }

    @Override
    public void verify() {
        assertThat(pins.held(mirror.view())).isPositive();
        Objects.requireNonNull(late).close();
        assertThat(pins.held(mirror.view())).isZero();
    }
}
