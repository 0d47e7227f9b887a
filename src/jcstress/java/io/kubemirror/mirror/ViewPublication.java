package io.kubemirror.mirror;

import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;

/**
 * A reader looks again and again while the writer publishes a view. Forbidden: the reader never
 * sees it, because the compiler reads a field that is not volatile only once.
 */
@JCStressTest(Mode.Termination)
@Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "sees the new view")
@Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "sees the old view forever")
@State
public class ViewPublication {

    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    Mirrors.window(),
                    Mirrors.READS,
                    _ -> {},
                    System::nanoTime);

    /** The reader. */
    @Actor
    public void read() {
        while (mirror.view().era() == 0) {
            // A pause here would be a barrier for the compiler.
        }
    }

    /** The writer. */
    @Signal
    public void publish() {
        View now = mirror.view();
        mirror.publish(now.restarted(null, Snapshot.empty(new Revision("10")), now.recent()));
    }
}
