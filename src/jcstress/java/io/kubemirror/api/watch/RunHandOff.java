package io.kubemirror.api.watch;

import module java.base;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * Two threads signal a task, whose runs change a field that is not volatile. Forbidden: a run does
 * not see what the run before it wrote on the other thread.
 */
@JCStressTest
@Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "each run sees the one before it")
@Outcome(id = "false", expect = Expect.FORBIDDEN, desc = "a run is lost")
@State
public class RunHandOff {

    private static final ScheduledThreadPoolExecutor TIMERS = new ScheduledThreadPoolExecutor(1);

    private final CoalescingTask task = new CoalescingTask(Runnable::run, TIMERS, () -> 0);
    private final AtomicInteger runs = new AtomicInteger();
    private int seen;

    /** Creates a task that has run once. */
    public RunHandOff() {
        task.start(this::run);
    }

    private void run() {
        seen++;
        runs.incrementAndGet();
    }

    /** One thread. */
    @Actor
    public void one() {
        task.signal();
    }

    /** The other thread. */
    @Actor
    public void other() {
        task.signal();
    }

    /** Looks when both are done. */
    @Arbiter
    public void look(Z_Result result) {
        result.r1 = seen == runs.get();
    }
}
