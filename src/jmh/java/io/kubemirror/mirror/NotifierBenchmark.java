package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.selection;

import module java.base;

import io.kubemirror.kube.BenchmarkCollections;
import io.kubemirror.mirror.MirrorWriter.Applied;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Selection;

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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the time from a change until the last reader that it concerns has it, while many wait.
 *
 * <p>Readers that are signaled run on a few threads beside the one that measures, so the times
 * depend on the number of processors.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class NotifierBenchmark {

    private static final int OBJECTS = 20_000;

    /** The number of waiting readers. */
    @Param({"1000", "10000"})
    public int sleepers = 1_000;

    private final Modifications modifications =
            new Modifications(BenchmarkCollections.CONFIG_MAPS.objects(OBJECTS));
    private final ExecutorService waker = Executors.newSingleThreadExecutor();
    private final MirrorWriter common = modifications.mirrored(waker);
    private final MirrorWriter divided = modifications.mirrored(waker);
    private final MirrorWriter unpopular = modifications.mirrored(Runnable::run);
    private final MirrorWriter excluded = modifications.mirrored(Runnable::run);
    private final MirrorWriter narrowed = modifications.mirrored(Runnable::run);
    private List<ReaderGroup> readerGroups = List.of();
    private int turn;

    /** Lets the readers go to sleep. */
    @Setup
    public void sleep() {
        readerGroups =
                List.of(
                        new ReaderGroup(common.mirror(), sleepers, _ -> Selection.everything()),
                        new ReaderGroup(divided.mirror(), sleepers, NotifierBenchmark::named),
                        new ReaderGroup(unpopular.mirror(), sleepers, NotifierBenchmark::named),
                        new ReaderGroup(excluded.mirror(), sleepers, _ -> excluding()),
                        new ReaderGroup(narrowed.mirror(), sleepers, NotifierBenchmark::narrow));
    }

    /** Lets the readers go. */
    @TearDown
    public void leave() {
        readerGroups.forEach(ReaderGroup::close);
        waker.close();
    }

    /** Every reader wants everything. */
    @Benchmark
    public void everybody() throws InterruptedException {
        KubeObject object = modifications.next();
        readerGroups.get(0).receive(sleepers, () -> common.upsert(object));
    }

    /** Every reader wants an object of its own, and the change is of one of these. */
    @Benchmark
    public void one() throws InterruptedException {
        turn = (turn + 1) % sleepers;
        KubeObject object = modifications.next(turn);
        readerGroups.get(1).receive(1, () -> divided.upsert(object));
    }

    /**
     * The same with a change that concerns none of them: the work of the writer and one round of
     * the notifier.
     */
    @Benchmark
    public Applied nobody() {
        turn = (turn + 1) % (OBJECTS - sleepers);
        return unpopular.upsert(modifications.next(sleepers + turn));
    }

    /**
     * Every reader excludes values of a label, one of which the changed object has: the work of the
     * writer and one round of the notifier.
     */
    @Benchmark
    public Applied excluded() {
        return excluded.upsert(modifications.next());
    }

    /**
     * Every reader wants the objects of a namespace with a label that all objects have, and the
     * change is in another namespace: the work of the writer and one round of the notifier.
     */
    @Benchmark
    public Applied narrowed() {
        turn = (turn + BenchmarkCollections.NAMESPACES) % OBJECTS;
        int number = turn - turn % BenchmarkCollections.NAMESPACES;
        return narrowed.upsert(modifications.next(number));
    }

    private static Selection named(int number) {
        return selection("", "", "metadata.name=object-" + number);
    }

    private static Selection excluding() {
        return selection("", "app.kubernetes.io/part-of notin (shop,office)", "");
    }

    /** In any namespace but the first. */
    private static Selection narrow(int number) {
        int namespace = 1 + number % (BenchmarkCollections.NAMESPACES - 1);
        return selection("namespace-" + namespace, "app.kubernetes.io/part-of=shop", "");
    }
}
