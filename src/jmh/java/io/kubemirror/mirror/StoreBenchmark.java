package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.kube.BenchmarkCollections;
import io.kubemirror.mirror.MirrorWriter.Applied;
import io.kubemirror.model.KubeObject;

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

/** What a change of one object costs the writer, and what finding one costs a reader. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class StoreBenchmark {

    /** How many config maps there are. */
    @Param({"10000", "100000"})
    public int objects = 10_000;

    private Modifications modifications = new Modifications(List.of());
    private MirrorWriter writer = modifications.mirrored(Runnable::run);

    /** Fills the mirror, whose readers have all gone. */
    @Setup
    public void fill() {
        modifications = new Modifications(BenchmarkCollections.CONFIG_MAPS.objects(objects));
        writer = modifications.mirrored(Runnable::run);
    }

    /** An event from the watch until readers can see it: store, log and publication. */
    @Benchmark
    public Applied upsert() {
        return writer.upsert(modifications.next());
    }

    /** One object; the object to compare with is made too. */
    @Benchmark
    public KubeObject get() {
        Snapshot snapshot = writer.mirror().snapshot().orElseThrow();
        return snapshot.get(modifications.next().key()).orElseThrow();
    }
}
