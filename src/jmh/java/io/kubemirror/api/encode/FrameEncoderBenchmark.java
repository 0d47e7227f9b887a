package io.kubemirror.api.encode;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.Representation.Accept.MediaRange;
import io.kubemirror.api.http.Representation.ResponseShape;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.kube.BenchmarkCollections;
import io.kubemirror.mirror.LogViews;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.model.Change;
import io.kubemirror.model.MemoryBudget;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What the frame of a change costs the first watch that sends it, and each further one. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class FrameEncoderBenchmark {

    /** What changes. */
    @Param public BenchmarkCollections benchmarkCollections = BenchmarkCollections.PODS;

    /** How frames are put on the wire: a name of {@link WatchFraming}. */
    @Param({"JSON_LINES", "SERVER_SENT_EVENTS"})
    public String wire = WatchFraming.JSON_LINES.name();

    private Change change = LogViews.modification(benchmarkCollections);
    private LoggedChange known = LogViews.logged(change);
    private FrameEncoder frames = frames();

    /** Makes the change, and a frame of it. */
    @Setup
    public void encode() {
        change = LogViews.modification(benchmarkCollections);
        known = LogViews.logged(change);
        frames = frames();
        var _ = frames.change(known, change);
    }

    private FrameEncoder frames() {
        WatchFraming chosen = WatchFraming.valueOf(wire);
        MediaRange clause = MediaRange.parse(chosen.contentType());
        return new FrameEncoder(
                new ObjectEncoder.TypeMeta(benchmarkCollections.type()),
                new Representation(chosen, ResponseShape.WHOLE, clause),
                new SharedBodies(ClientMemory.of(MemoryBudget.unlimited())));
    }

    /** The frame is made. */
    @Benchmark
    public byte[] first() {
        return frames.change(LogViews.logged(change), change);
    }

    /** The frame is there. */
    @Benchmark
    public byte[] shared() {
        return frames.change(known, change);
    }
}
