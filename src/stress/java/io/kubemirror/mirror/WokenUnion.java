package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A member of a union publishes while the union looks at it and goes to sleep: the union is woken
 * for everything that it has not seen.
 */
final class WokenUnion implements ConcurrentScenario {

    private static final int LAST = 13;

    private final Queue<Runnable> rounds = new ConcurrentLinkedQueue<>();
    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    new Window(8, 8, Duration.ZERO, 1 << 20),
                    rounds::add,
                    System::nanoTime);
    private final MirrorWriter writer = new MirrorWriter(mirror, () -> 0);
    private final AtomicInteger wakes = new AtomicInteger();
    private final Mirror union =
            new Mirror(
                    mirror.scope(),
                    mirror.window(),
                    rounds::add,
                    System::nanoTime,
                    List.of(mirror));
    private final UnionMember member =
            new UnionMember(mirror, union, wakes::incrementAndGet, () -> {});
    private boolean sleeps;
    private int wakesBefore;

    WokenUnion() {
        writer.resync().complete(new Revision("10"));
        runRounds();
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::write, this::runRounds, this::follow);
    }

    private void write() {
        for (int revision = 11; revision <= LAST; revision++) {
            writer.upsert(object("a/x", revision));
        }
    }

    private void runRounds() {
        for (Runnable round = rounds.poll(); round != null; round = rounds.poll()) {
            round.run();
        }
    }

    private void follow() {
        for (int i = 0; i < 3; i++) {
            wakesBefore = wakes.get();
            member.look();
            sleeps = member.arm();
        }
    }

    @Override
    public void verify() {
        runRounds();
        if (sleeps && wakes.get() == wakesBefore) {
            assertThat(member.seen().revision().digits())
                    .as("the union sleeps on only if it has seen everything")
                    .isEqualTo(Integer.toString(LAST));
        }
    }
}
