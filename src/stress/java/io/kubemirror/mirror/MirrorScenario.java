package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

/** A mirror at revision 10, and the rounds of its notifier, which an actor runs. */
public abstract class MirrorScenario implements ConcurrentScenario {

    private final Queue<Runnable> rounds = new ConcurrentLinkedQueue<>();
    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    new Window(8, 8, Duration.ZERO, 1 << 20),
                    Mirrors.READS,
                    rounds::add,
                    System::nanoTime);
    private final MirrorWriter writer = synchronizedWriter(mirror);

    /** Returns the writer of a mirror at revision 10. */
    protected final MirrorWriter synchronizedWriter(Mirror other) {
        MirrorWriter synchronizing = Mirrors.writer(other, () -> 0);
        synchronizing.resync().complete(new Revision("10"));
        runRounds();
        return synchronizing;
    }

    protected final Mirror mirror() {
        return mirror;
    }

    protected final MirrorWriter writer() {
        return writer;
    }

    protected final void runRounds() {
        for (Runnable round = rounds.poll(); round != null; round = rounds.poll()) {
            round.run();
        }
    }
}
