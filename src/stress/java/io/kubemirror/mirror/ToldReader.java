package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.mirror.UpstreamStatus.State;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The state of the mirror changes, with a change of no interest in between, while a reader arms its
 * subscription and looks at the state.
 */
final class ToldReader implements ConcurrentScenario {

    private final Queue<Runnable> rounds = new ConcurrentLinkedQueue<>();
    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    new Window(8, 8, Duration.ZERO, 1 << 20),
                    rounds::add,
                    System::nanoTime);
    private final MirrorWriter writer = new MirrorWriter(mirror, () -> 0);
    private final Subscription subscription;
    private Cursor cursor;
    private State told = State.SYNCED;
    private boolean sleeps;

    ToldReader() {
        writer.resync().complete(new Revision("10"));
        report(Phase.WATCHING);
        runRounds();
        cursor = mirror.view().cursor();
        subscription = mirror.subscribe(selection("", "", "metadata.name=x"), () -> {});
        subscription.followState();
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::write, this::runRounds, this::read);
    }

    private void write() {
        report(Phase.BACKING_OFF);
        writer.upsert(object("a/other", 11));
        report(Phase.SYNCHRONISING);
    }

    private void report(Phase phase) {
        writer.report(new UpstreamStatus(phase, Instant.MAX, Instant.MAX, ""));
    }

    private void runRounds() {
        for (Runnable round = rounds.poll(); round != null; round = rounds.poll()) {
            round.run();
        }
    }

    /** As a watch does: arms first, then looks at the state. */
    private void read() {
        for (int i = 0; i < 2; i++) {
            sleeps = subscription.arm(cursor) && mirror.upstream().state() == told;
            if (!sleeps) {
                readOn();
            }
        }
    }

    private void readOn() {
        cursor = ((Reading.Progress) mirror.read(subscription.disarm(cursor))).next();
        told = mirror.upstream().state();
    }

    @Override
    public void verify() {
        runRounds();
        if (sleeps && subscription.isArmed()) {
            assertThat(told).as("nobody sleeps on with an old state").isEqualTo(State.RESYNCING);
        }
        readOn();
        assertThat(told).isEqualTo(State.RESYNCING);
    }
}
