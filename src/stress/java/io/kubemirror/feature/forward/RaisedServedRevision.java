package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.Revision;

/** Two responses of the API server are served while the mirror advances: no revision is lost. */
public final class RaisedServedRevision implements ConcurrentScenario {

    private final WrittenServer server = new WrittenServer();

    RaisedServedRevision() {
        server.writer.bookmark(new Revision("10"));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(
                () -> server.floors.raise(server.mirror::equals, new Revision("50")),
                () -> {
                    server.writer.bookmark(new Revision("20"));
                    server.floors.raise(server.mirror::equals, new Revision("60"));
                });
    }

    @Override
    public void verify() {
        assertThat(server.floors.of(server.mirror)).isEqualTo(new Revision("60"));
    }
}
