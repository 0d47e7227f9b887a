package io.kubemirror.mirror;

import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A reader looks twice while the writer publishes a view. Forbidden: the second look shows an older
 * view than the first, which plain reads permit.
 */
@JCStressTest
@Outcome(
        id = {"0, 0", "0, 1", "1, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "time goes forward")
@Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "time goes back")
@State
public class ViewPublication {

    private final Mirror mirror =
            new Mirror(
                    new Scope(new ResourceName("pods"), Selection.everything()),
                    Window.standard(),
                    _ -> {},
                    System::nanoTime);

    /** The writer. */
    @Actor
    public void publish() {
        View now = mirror.view();
        Snapshot state = Snapshot.empty(new Revision("10"));
        mirror.publish(now.restarted(null, state, now.recent()));
    }

    /** The reader. */
    @Actor
    public void read(II_Result result) {
        result.r1 = (int) mirror.view().era();
        result.r2 = (int) mirror.view().era();
    }
}
