package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.kube.BenchmarkCollections;
import io.kubemirror.mirror.EventLog.LogView;
import io.kubemirror.model.Change;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.Mirrors;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What the past costs the writer that adds to it and the readers that ask for a part of it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class LogBenchmark {

    private static final int OBJECTS = 1_000;
    private static final int BATCH = 512;

    private final Modifications modifications =
            new Modifications(BenchmarkCollections.CONFIG_MAPS.objects(OBJECTS));
    private final Snapshot state = Snapshot.empty(Revision.ZERO);
    private final EventLog log = new EventLog(Mirrors.window());
    private LogView recent = log.recent();
    private Revision oneBehind = Revision.ZERO;
    private Revision manyBehind = Revision.ZERO;

    /** Fills the log, so that each change evicts another. */
    @Setup
    public void fill() {
        for (int i = 0; i < Mirrors.window().maximum(); i++) {
            append();
        }
        recent = log.recent();
        LoggedChange[] newest =
                recent.after(Revision.ZERO, Integer.MAX_VALUE).stream()
                        .skip(log.size() - BATCH - 1L)
                        .toArray(LoggedChange[]::new);
        manyBehind = newest[0].change().revision();
        oneBehind = newest[BATCH - 1].change().revision();
    }

    /** A change is added. */
    @Benchmark
    public void append() {
        Change change = modifications.change();
        log.append(change, state.at(change.revision()), 0);
    }

    /** The newest change for a reader that is up to date but for it. */
    @Benchmark
    public Object newest() {
        return recent.after(oneBehind, BATCH);
    }

    /** As many changes as a reader gets at once. */
    @Benchmark
    public Object batch() {
        return recent.after(manyBehind, BATCH);
    }
}
