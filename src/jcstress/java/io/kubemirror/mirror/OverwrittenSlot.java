package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import module java.base;

import io.kubemirror.mirror.EventLog.LogView;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The writer overwrites the only slot of a log while a reader with an older view looks at it twice.
 * Forbidden: the reader finds its change after it has found it overwritten. It would take a view
 * for complete that is not.
 *
 * <p>With plain reads of the slots, the test passes too. No processor swaps two reads of one slot,
 * and HotSpot does not either, because a branch depends on the first. The language permits it, so
 * the test is for compilers to come.
 */
@JCStressTest
@Outcome(
        id = {"1, 1", "1, 0", "0, 0"},
        expect = Expect.ACCEPTABLE,
        desc = "there, then gone")
@Outcome(id = "0, 1", expect = Expect.FORBIDDEN, desc = "gone, then there")
@State
public class OverwrittenSlot {

    private static final Revision START = new Revision("10");
    private static final Change FIRST = added("11");
    private static final Change SECOND = added("12");

    private final EventLog log = new EventLog(new Window(1, 1, Duration.ZERO, 1 << 20));
    private final LogView recent;

    /** Creates a log with one change. */
    public OverwrittenSlot() {
        Snapshot start = Snapshot.empty(START);
        log.reset(start);
        log.append(FIRST, start.at(FIRST.revision()), 0);
        recent = log.recent();
    }

    private static Change added(String revision) {
        KubeObject object = object("a/x", Integer.parseInt(revision));
        return new Change.Added(new Revision(revision), object);
    }

    /** The writer. */
    @Actor
    public void append() {
        log.append(SECOND, Snapshot.empty(SECOND.revision()), 0);
    }

    /** The reader. */
    @Actor
    public void read(II_Result result) {
        result.r1 = recent.after(START, 1).isPresent() ? 1 : 0;
        result.r2 = recent.after(START, 1).isPresent() ? 1 : 0;
    }
}
