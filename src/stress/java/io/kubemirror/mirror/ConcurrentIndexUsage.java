package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.Indexes.Dimension;

/** Lists ask for more indexes at the same time than are maintained. */
final class ConcurrentIndexUsage implements ConcurrentScenario {

    private final Indexes indexes = Indexes.none();

    ConcurrentIndexUsage() {
        for (int i = 0; i < 7; i++) {
            ask("known-" + i);
        }
    }

    private void ask(String label) {
        indexes.find(new Dimension(true, label), List.of());
        indexes.find(new Dimension(true, label), List.of());
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(() -> ask("one"), () -> ask("other"));
    }

    @Override
    public void verify() {
        assertThat(indexes.worthwhile(false)).hasSizeLessThanOrEqualTo(8);
    }
}
