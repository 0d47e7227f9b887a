package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import module java.base;

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
 * A reader pins a state while the writer counts the pins for the last time. Forbidden: neither
 * counts the pin, because each of the two threads has read before it saw the write of the other.
 *
 * <p>On x86 the monitor in which the writer otherwise counts would hide that.
 */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "counted by the writer")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "counted by the reader")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "counted by both")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "counted by none")
@State
public class UncountedPin {

    /** A state that the history lacks, and the view that lacks it. */
    private static final View PAST;

    private static final View NOW;

    static {
        Mirror mirror =
                new Mirror(
                        new Scope(new ResourceName("pods"), Selection.everything()),
                        new Window(1, 1, Duration.ZERO, 1),
                        Runnable::run,
                        System::nanoTime);
        MirrorWriter writer = Mirrors.writer(mirror, () -> 0);
        writer.resync().complete(new Revision("10"));
        writer.upsert(object("a/x", 11));
        PAST = mirror.view();
        writer.upsert(object("a/x", 12));
        writer.upsert(object("a/x", 13));
        NOW = mirror.view();
    }

    private final SnapshotPins pins = new SnapshotPins();
    private boolean counted;

    /** The writer, at the end of its mirror. */
    @Actor
    public void end(ZZ_Result result) {
        pins.onChange(new SnapshotPins.Recount(() -> counted = true, () -> {}));
        result.r1 = pins.held(NOW) > 0;
    }

    /** The reader. */
    @Actor
    public void pin() {
        var _ = pins.add(PAST.era(), Objects.requireNonNull(PAST.snapshot()), () -> {});
    }

    /** Looks when both are done. */
    @Arbiter
    public void look(ZZ_Result result) {
        result.r2 = counted;
    }
}
