package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiSamples;
import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.Unchecked;

/** A client gets an answer while a mirror is added whose content is older: no read shows it. */
public final class AnsweredBeforeMirror implements ConcurrentScenario {

    private final WrittenServer server = new WrittenServer();
    private final AtomicLong time = new AtomicLong();
    private final Mirror added =
            new Mirror(
                    server.mirror.scope(),
                    Mirrors.window(),
                    Mirrors.READS,
                    Runnable::run,
                    () -> time.addAndGet(Duration.ofSeconds(10).toNanos()));

    AnsweredBeforeMirror() {
        MirrorWriter writer = Mirrors.writer(added, () -> 0);
        writer.identify(ApiSamples.PODS, DeclaredFields.NONE);
        writer.resync().complete(new Revision("1"));
        server.put("a/x", "u", Map.of());
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(
                () -> server.floors.raise(_ -> true, new Revision("2")),
                () -> server.mirrors.update(List.of(server.mirror, added)));
    }

    @Override
    public void verify() {
        long deadline = server.floors.deadline(Duration.ofSeconds(3));
        assertThat(Unchecked.call(() -> server.floors.await(added, Revision.ZERO, deadline)))
                .isEmpty();
    }
}
