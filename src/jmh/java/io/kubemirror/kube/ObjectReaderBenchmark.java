package io.kubemirror.kube;

import module java.base;

import io.kubemirror.model.MemoryBudget;
import io.kubemirror.source.Result;
import io.kubemirror.source.WatchFrame;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** How long it takes to make an object out of what the API server sends, for each object. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class ObjectReaderBenchmark {

    private static final int OBJECTS = 10_000;

    /** What is sent. */
    @Param public BenchmarkCollections benchmarkCollections = BenchmarkCollections.PODS;

    private byte[] page = {};
    private byte[] watch = {};

    /** Makes what is read. */
    @Setup
    public void send() {
        page = benchmarkCollections.page(0, OBJECTS);
        watch = benchmarkCollections.watch(OBJECTS);
    }

    /** A page of a list. */
    @Benchmark
    @OperationsPerInvocation(OBJECTS)
    public void page(Blackhole objects) {
        var reader =
                new ListReader(
                        benchmarkCollections.collection(),
                        new ByteArrayInputStream(page),
                        BenchmarkCollections.LIMIT,
                        MemoryBudget.unlimited(),
                        objects::consume);
        if (!(reader.read() instanceof Result.Success)) {
            throw new IllegalStateException("no page of a list");
        }
    }

    /** The frames of a watch. */
    @Benchmark
    @OperationsPerInvocation(OBJECTS)
    public void watch(Blackhole objects) {
        var reader =
                new FrameReader(
                        benchmarkCollections.collection(),
                        new ByteArrayInputStream(watch),
                        BenchmarkCollections.LIMIT,
                        MemoryBudget.unlimited());
        WatchFrame frame = reader.next();
        while (frame instanceof WatchFrame.Modified change) {
            objects.consume(change.object());
            frame = reader.next();
        }
        if (!(frame instanceof WatchFrame.Ended)) {
            throw new IllegalStateException("no watch");
        }
    }
}
