package io.kubemirror.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

/** The writer publishes warnings and then changes its own list. */
final class CopiedWarnings implements ConcurrentScenario {

    private static final List<String> BOTH = List.of("one", "other");

    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    Mirrors.window(),
                    Mirrors.READS,
                    _ -> {},
                    System::nanoTime);
    private final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::write, this::read);
    }

    private void write() {
        List<String> warnings = new ArrayList<>(BOTH);
        writer.warn(warnings);
        Collection<String> own = warnings;
        own.remove("one");
    }

    private void read() {
        assertThat(mirror.warnings()).isIn(List.of(), BOTH);
    }

    @Override
    public void verify() {
        assertThat(mirror.warnings()).isEqualTo(BOTH);
    }
}
