package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

/** The writer evicts the changes that a reader looks at. */
final class LappedReader implements ConcurrentScenario {

    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    new Window(2, 2, Duration.ZERO, 1 << 20),
                    Mirrors.READS,
                    _ -> {},
                    System::nanoTime);
    private final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);
    private final Cursor start;

    LappedReader() {
        writer.resync().complete(new Revision("10"));
        writer.upsert(object("a/x", 11));
        start = mirror.view().cursor();
        writer.upsert(object("a/x", 12));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::write, this::read);
    }

    private void write() {
        writer.upsert(object("a/x", 13));
        writer.upsert(object("a/x", 14));
    }

    private void read() {
        switch (mirror.read(start)) {
            case Reading.Progress(List<LoggedChange> changes, Cursor next) ->
                    assertThat(changes)
                            .extracting(change -> change.change().revision().digits())
                            .isIn(List.of("12"), List.of("12", "13"));
            case Reading.Expired _ -> assertThat(mirror.revision().digits()).isEqualTo("14");
            case Reading other -> throw new AssertionError(other.toString());
        }
    }

    @Override
    public void verify() {
        assertThat(mirror.revision().digits()).isEqualTo("14");
    }
}
