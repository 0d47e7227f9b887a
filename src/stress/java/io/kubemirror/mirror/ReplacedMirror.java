package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;

/** Another mirror takes the place of one: who sees that the first is removed sees why. */
final class ReplacedMirror implements ConcurrentScenario {

    private final Mirror before = mirror();
    private final MirrorSet mirrors = MirrorSets.of(before);
    private boolean unclear;

    private static Mirror mirror() {
        return new Mirror(
                new Scope(new ResourceName("pods"), Selection.everything()),
                Mirrors.window(),
                Runnable::run,
                System::nanoTime);
    }

    private void replace() {
        mirrors.update(List.of(mirror()));
    }

    private void read() {
        unclear = before.isRemoved() && !before.isReplaced();
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::replace, this::read);
    }

    @Override
    public void verify() {
        assertThat(unclear).isFalse();
        assertThat(before.isRemoved()).isTrue();
    }
}
