package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.kube.BenchmarkCollections;
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

/** The cost of listing everything that a change concerns, once for each change. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class InterestBenchmark {

    /** What changes. */
    @Param public BenchmarkCollections benchmarkCollections = BenchmarkCollections.PODS;

    private Change change = new Modifications(BenchmarkCollections.PODS.objects(1)).change();

    /** Makes the change. */
    @Setup
    public void modify() {
        change = new Modifications(benchmarkCollections.objects(1)).change();
    }

    /** A modification whose old and new state may both match. */
    @Benchmark
    public Set<Interest> ofChange() {
        return Interest.of(change);
    }
}
