package io.kubemirror.mirror;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A mirror at revision 10, and the rounds of its notifier, which an actor runs. */
abstract class MirrorScenario implements ConcurrentScenario {

    private final Queue<Runnable> rounds = new ConcurrentLinkedQueue<>();
    private final Mirror mirror = mirror(List.of());
    private final MirrorWriter writer = synchronizedWriter(mirror);

    /** Returns a mirror that shares the rounds. */
    final Mirror mirror(List<Mirror> members) {
        return new Mirror(
                new Scope(new ResourceName("pods"), Selection.everything()),
                new Window(8, 8, Duration.ZERO, 1 << 20),
                rounds::add,
                System::nanoTime,
                members);
    }

    /** Returns the writer of a mirror at revision 10. */
    final MirrorWriter synchronizedWriter(Mirror other) {
        MirrorWriter synchronizing = new MirrorWriter(other, () -> 0);
        synchronizing.resync().complete(new Revision("10"));
        runRounds();
        return synchronizing;
    }

    final Mirror mirror() {
        return mirror;
    }

    final MirrorWriter writer() {
        return writer;
    }

    final void runRounds() {
        for (Runnable round = rounds.poll(); round != null; round = rounds.poll()) {
            round.run();
        }
    }
}
