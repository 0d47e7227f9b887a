package io.kubemirror.mirror;

import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * A reader arms its subscription while the writer publishes and the notifier runs a round.
 * Forbidden: the reader waits without a signal, because each of the two threads has read before it
 * saw the write of the other.
 */
@JCStressTest
@Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "reads on")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "waited and was signaled")
@Outcome(id = "true, true", expect = Expect.FORBIDDEN, desc = "waits forever")
@State
public class LostSignal {

    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    Mirrors.window(),
                    Mirrors.READS,
                    Runnable::run,
                    System::nanoTime);
    private final Cursor cursor = mirror.view().cursor();
    private final Subscription subscription = mirror.subscribe(Selection.everything(), () -> {});

    /** The writer, and the notifier after it. */
    @Actor
    public void publish() {
        View now = mirror.view();
        mirror.publish(now.moved(Snapshot.empty(new Revision("10")), now.recent()));
    }

    /** The reader. */
    @Actor
    public void arm(ZZ_Result result) {
        result.r1 = subscription.arm(cursor);
    }

    /** Looks when both are done. */
    @Arbiter
    public void look(ZZ_Result result) {
        result.r2 = subscription.signaledAfter() == null;
    }
}
