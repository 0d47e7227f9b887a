package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.Indexes.Dimension;
import io.kubemirror.mirror.Indexes.IndexUsage;

/** Lists ask for more indexes at the same time than are maintained. */
final class ConcurrentIndexUsage implements ConcurrentScenario {

    private final IndexUsage usage = new IndexUsage();

    ConcurrentIndexUsage() {
        for (int i = 0; i < 7; i++) {
            ask("known-" + i);
        }
    }

    private void ask(String label) {
        usage.count(new Dimension(true, label));
        usage.count(new Dimension(true, label));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(() -> ask("one"), () -> ask("other"));
    }

    @Override
    public void verify() {
        assertThat(usage.worthwhile(false)).hasSizeLessThanOrEqualTo(8);
    }
}
