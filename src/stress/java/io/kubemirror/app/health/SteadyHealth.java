package io.kubemirror.app.health;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

import org.springframework.boot.health.contributor.Status;

/** Two probes request the health while a mirror becomes ready and then loses its content. */
final class SteadyHealth implements ConcurrentScenario {

    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    Mirrors.window(),
                    Mirrors.READS,
                    Runnable::run,
                    System::nanoTime);
    private final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);
    private final MirrorsHealthIndicator health =
            new MirrorsHealthIndicator(
                    PodMirror.process(InstantSource.system(), mirror), _ -> true);
    private boolean ready;

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(health::health, this::becomeReady);
    }

    private void becomeReady() {
        writer.resync().complete(new Revision("10"));
        ready = isUp();
        writer.forget();
    }

    private boolean isUp() {
        return health.health().getStatus().equals(Status.UP);
    }

    @Override
    public void verify() {
        assertThat(ready).isTrue();
        assertThat(isUp()).as("ready once, ready forever").isTrue();
    }
}
