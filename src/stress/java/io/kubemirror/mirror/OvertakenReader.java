package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * A reader that the notifier has overtaken decides not to wait while the next round signals it: the
 * smallest case in which {@link Subscription} once skipped changes.
 */
final class OvertakenReader implements ConcurrentScenario {

    private final Queue<Runnable> rounds = new ArrayDeque<>();
    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    new Window(8, 8, Duration.ZERO, 1 << 20),
                    rounds::add,
                    System::nanoTime);
    private final MirrorWriter writer = new MirrorWriter(mirror, () -> 0);
    private final Runnable round;
    private final Subscription subscription;
    private final Cursor cursor;

    OvertakenReader() {
        writer.resync().complete(new Revision("10"));
        rounds.remove().run();
        cursor = mirror.view().cursor();
        subscription = mirror.subscribe(Selection.everything(), () -> {});
        writer.upsert(object("a/x", 11));
        rounds.remove().run();
        writer.upsert(object("a/x", 12));
        round = rounds.remove();
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(round, this::read);
    }

    private void read() {
        assertThat(subscription.arm(cursor)).isFalse();
        assertThat(subscription.disarm(cursor)).as("nothing is skipped").isEqualTo(cursor);
    }

    @Override
    public void verify() {
        assertThat(((Reading.Progress) mirror.read(cursor)).changes()).hasSize(2);
    }
}
