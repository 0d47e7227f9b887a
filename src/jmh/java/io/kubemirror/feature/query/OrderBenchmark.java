package io.kubemirror.feature.query;

import module java.base;

import io.kubemirror.api.encode.ListExtension.ObjectCounts;
import io.kubemirror.kube.BenchmarkCollections;
import io.kubemirror.mirror.LogViews;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Pages of 50 of 100,000 pods in the order of a path, and their numbers by it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 1, jvmArgsAppend = "-Xmx3g")
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class OrderBenchmark {

    private static final int PAGE = 50;

    /** A number, the name, a selectable field, an amount in an array, and a time after the spec. */
    @Param({
        "-metadata.resourceVersion",
        "-metadata.name",
        "spec.nodeName",
        "spec.containers[0].resources.requests.memory",
        "-status.startTime"
    })
    private String sortBy = "";

    private final MirrorWriter writer = LogViews.filled(BenchmarkCollections.PODS, 100_000);
    private final Mirror mirror = writer.mirror();
    private long revision = 2 * BenchmarkCollections.FIRST_REVISION;
    private boolean descending;
    private ValuePath path = path("metadata.name");
    private OrderCache cache = new OrderCache(MemoryBudget.unlimited());
    private int position;

    private static ValuePath path(String text) {
        return ValuePath.parse(text);
    }

    /** Reads the path. */
    @Setup
    public void parse() {
        descending = sortBy.startsWith("-");
        path = path(descending ? sortBy.substring(1) : sortBy);
    }

    /** Forgets all but the values of the snapshot. */
    @Setup(Level.Iteration)
    public void forget() {
        cache = new OrderCache(MemoryBudget.unlimited());
        page(0);
    }

    private List<KubeObject> page(int from) {
        return cache.sorted(mirror, state(), Selection.everything(), path, descending)
                .orElseThrow()
                .page(from, PAGE);
    }

    private Snapshot state() {
        return mirror.snapshot().orElseThrow();
    }

    /** Changes one object. */
    private void change() {
        revision++;
        KubeObject any = state().objects().iterator().next();
        writer.upsert(any.at(new Revision(Long.toString(revision))));
    }

    /** The first page of a path that has not been used before: reads all objects. */
    @Benchmark
    public List<KubeObject> firstOfPath() {
        cache = new OrderCache(MemoryBudget.unlimited());
        return page(0);
    }

    /** The first page of a snapshot, after another one was sorted by the path. */
    @Benchmark
    public List<KubeObject> firstOfSnapshot() {
        change();
        return page(0);
    }

    /** A further page of the same snapshot, from the beginning to the end. */
    @Benchmark
    public List<KubeObject> next() {
        position = (position + PAGE) % 100_000;
        return page(position);
    }

    /** The numbers of a snapshot by the path. */
    @Benchmark
    public ObjectCounts groups() {
        change();
        return cache.counts(mirror, state(), Selection.everything(), path).orElseThrow();
    }

    /** The same numbers once more. */
    @Benchmark
    public ObjectCounts groupsAgain() {
        return cache.counts(mirror, state(), Selection.everything(), path).orElseThrow();
    }
}
