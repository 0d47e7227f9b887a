package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.Unchecked;

/** A watch is registered while its mirror is removed: it is asked to end, and it is forgotten. */
public final class WatchOfRemovedMirror implements ConcurrentScenario {

    private final WatchRegistry watches = new WatchRegistry(() -> 0);
    private final Mirror mirror =
            new Mirror(
                    ApiFixture.scope("pods", ""),
                    Mirrors.window(),
                    Mirrors.READS,
                    Runnable::run,
                    System::nanoTime);
    private final MirrorSet mirrors = MirrorSets.of(mirror);
    private final Watch watch;

    WatchOfRemovedMirror() {
        Mirrors.writer(mirror, () -> 0).resync().complete(new Revision("10"));
        mirrors.listen(watches);
        watch = Watches.watch(watches, mirror, new WatchExecutor(1).task(System::nanoTime));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(
                () -> Unchecked.run(() -> watches.add(watch)), () -> mirrors.update(List.of()));
    }

    @Override
    public void verify() {
        assertThat(watch.isEndRequested()).isTrue();
        watches.remove(watch);
        assertThat(watches.of(mirror)).isEmpty();
    }
}
