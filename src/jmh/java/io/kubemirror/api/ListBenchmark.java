package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.encode.JsonDocument;
import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.encode.ObjectEncoder;
import io.kubemirror.api.encode.ResponseWriter;
import io.kubemirror.api.encode.SharedBodies;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestMeters;
import io.kubemirror.kube.BenchmarkCollections;
import io.kubemirror.mirror.LogViews;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Selection;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

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
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/**
 * What a list costs until its bytes are written, to nowhere. With {@code -prof gc}, {@code
 * gc.alloc.rate.norm} is what one list allocates.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class ListBenchmark {

    /** 10,000 pods. */
    @State(Scope.Benchmark)
    public static class Pods {
        private final Mirror mirror = LogViews.filled(BenchmarkCollections.PODS, 10_000).mirror();
    }

    /** 100,000 config maps. */
    @State(Scope.Benchmark)
    public static class ConfigMaps {
        private final Mirror mirror =
                LogViews.filled(BenchmarkCollections.CONFIG_MAPS, 100_000).mirror();
    }

    private final OutputStream nowhere = OutputStream.nullOutputStream();
    private final ClientMemory memory = ClientMemory.of(MemoryBudget.unlimited());
    private final SharedBodies bodies = new SharedBodies(memory);
    private LabelSelector app = LabelSelector.everything();
    private LabelSelector apps = LabelSelector.everything();
    private FieldSelector node = FieldSelector.everything();
    private FieldSelector running = FieldSelector.everything();

    /** Reads the selectors. */
    @Setup
    public void parse() throws Rejection {
        app = LabelSelectorParser.parse("app=app-7");
        apps = LabelSelectorParser.parse("app in (app-7,app-70,app-77)");
        node = FieldSelectorParser.parse("spec.nodeName=node-7");
        running = FieldSelectorParser.parse("status.phase=Running");
    }

    /** All pods. */
    @Benchmark
    public void pods(Pods all) throws IOException {
        write(all, Selection.everything());
    }

    /** The pods of one of 20 namespaces. */
    @Benchmark
    public void podsOfNamespace(Pods all) throws IOException {
        write(
                all,
                new Selection(
                        "namespace-7", LabelSelector.everything(), FieldSelector.everything()));
    }

    /** The pods with one of 200 values of a label. */
    @Benchmark
    public void podsOfLabel(Pods all) throws IOException {
        write(all, new Selection("", app, FieldSelector.everything()));
    }

    /** The pods with one of three of these values. */
    @Benchmark
    public void podsOfLabels(Pods all) throws IOException {
        write(all, new Selection("", apps, FieldSelector.everything()));
    }

    /** The pods on one of 500 nodes. */
    @Benchmark
    public void podsOfNode(Pods all) throws IOException {
        write(all, new Selection("", LabelSelector.everything(), node));
    }

    /** The running pods, two thirds of all, with one of 200 values of a label. */
    @Benchmark
    public void podsOfLabelAndPhase(Pods all) throws IOException {
        write(all, new Selection("", app, running));
    }

    /** All config maps. */
    @Benchmark
    public void configMaps(ConfigMaps all) throws IOException {
        list(BenchmarkCollections.CONFIG_MAPS, all.mirror, Selection.everything()).write(nowhere);
    }

    /** All config maps, in all that is done with an answer before the server gets it. */
    @Benchmark
    public void configMapsDelivered(ConfigMaps all) throws IOException {
        HttpServletRequest request = new MockHttpServletRequest();
        HttpServletResponse response = new DiscardingResponse(new MockHttpServletResponse());
        Exchange exchange =
                new Exchange(
                        request,
                        response,
                        ParsedRequest.of(request),
                        new RequestMeters(new SimpleMeterRegistry(), () -> 0).begin(),
                        memory);
        ResponseWriter.send(
                list(BenchmarkCollections.CONFIG_MAPS, all.mirror, Selection.everything()),
                false,
                null,
                exchange,
                bodies);
    }

    private void write(Pods all, Selection selection) throws IOException {
        list(BenchmarkCollections.PODS, all.mirror, selection).write(nowhere);
    }

    private static JsonDocument list(
            BenchmarkCollections benchmarkCollections, Mirror mirror, Selection selection) {
        Snapshot state = mirror.snapshot().orElseThrow();
        ResourceType type = benchmarkCollections.type();
        return JsonDocument.list(
                type,
                type.kind() + "List",
                ListPage.whole(state, selection, ""),
                ObjectEncoder.items(type));
    }
}
