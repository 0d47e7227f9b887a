package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Revision;

import java.util.List;

/** Two responses of the API server are served while the mirror advances: no revision is lost. */
public final class RaisedServedRevision implements ConcurrentScenario {

    private final ServedRevisions served = new ServedRevisions();
    private final Mirror mirror =
            new Mirror(
                    ApiFixture.scope("pods", ""),
                    Window.standard(),
                    Runnable::run,
                    System::nanoTime);
    private final MirrorWriter writer = new MirrorWriter(mirror, () -> 0);

    RaisedServedRevision() {
        writer.resync().complete(new Revision("10"));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(
                () -> served.raise(mirror, new Revision("50")),
                () -> {
                    writer.bookmark(new Revision("20"));
                    served.raise(mirror, new Revision("60"));
                });
    }

    @Override
    public void verify() {
        assertThat(served.floor(mirror)).isEqualTo(new Revision("60"));
    }
}
