package io.kubemirror.model;

import module java.base;

import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.kube.BenchmarkCollections;

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

/** What it costs to ask one pod whether a client has selected it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class SelectorBenchmark {

    private static final int OBJECTS = 1_000;

    private final List<KubeObject> pods = BenchmarkCollections.PODS.objects(OBJECTS);

    /** Selectors by labels. */
    @State(Scope.Benchmark)
    public static class Labels {

        /** As a client writes it. */
        @Param({"app=app-7", "app in (app-1,app-2,app-3),tier!=frontend,!canary"})
        public String text = "";

        private LabelSelector selector = LabelSelector.everything();

        /** Reads it. */
        @Setup
        public void parse() throws Rejection {
            selector = LabelSelectorParser.parse(text);
        }
    }

    /** Selectors by fields. */
    @State(Scope.Benchmark)
    public static class Fields {

        /** As a client writes it. */
        @Param({
            "metadata.name=object-7",
            "spec.nodeName=node-7",
            "metadata.namespace!=namespace-1,status.phase!=Pending"
        })
        public String text = "";

        private FieldSelector selector = FieldSelector.everything();

        /** Reads it. */
        @Setup
        public void parse() throws Rejection {
            selector = FieldSelectorParser.parse(text);
        }
    }

    /** By labels. */
    @Benchmark
    @OperationsPerInvocation(OBJECTS)
    public int labels(Labels labels) {
        int selected = 0;
        for (KubeObject pod : pods) {
            selected += labels.selector.matches(pod.labels()) ? 1 : 0;
        }
        return selected;
    }

    /** By fields. */
    @Benchmark
    @OperationsPerInvocation(OBJECTS)
    public int fields(Fields fields) {
        int selected = 0;
        for (KubeObject pod : pods) {
            selected += fields.selector.matches(pod) ? 1 : 0;
        }
        return selected;
    }
}
