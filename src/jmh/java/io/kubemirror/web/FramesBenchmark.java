package io.kubemirror.web;

import io.kubemirror.kube.Stock;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Pasts;
import io.kubemirror.model.Change;

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

import java.util.concurrent.TimeUnit;

/** What the frame of a change costs the first watch that sends it, and each further one. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class FramesBenchmark {

    /** What changes. */
    @Param public Stock stock = Stock.PODS;

    /** How frames are put on the wire: a name of {@link Wire}. */
    @Param({"JSON_LINES", "SERVER_SENT_EVENTS"})
    public String wire = Wire.JSON_LINES.name();

    private Change change = Pasts.modification(stock);
    private LoggedChange known = Pasts.logged(change);
    private Frames frames = frames();

    /** Makes the change, and a frame of it. */
    @Setup
    public void encode() {
        change = Pasts.modification(stock);
        known = Pasts.logged(change);
        frames = frames();
        var _ = frames.change(known, change);
    }

    private Frames frames() {
        Wire chosen = Wire.valueOf(wire);
        MediaRange clause = MediaRange.parse(chosen.contentType());
        return new Frames(
                new TypeMeta(stock.type()), new Representation(chosen, Shape.WHOLE, clause));
    }

    /** The frame is made. */
    @Benchmark
    public byte[] first() {
        return frames.change(Pasts.logged(change), change);
    }

    /** The frame is there. */
    @Benchmark
    public byte[] shared() {
        return frames.change(known, change);
    }
}
