package io.kubemirror;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.Manifests.pod;

import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testing.Manifest;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.UpstreamInterceptor;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.scripted.ServedTypes;
import io.kubemirror.upstream.ListRequest;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/**
 * Measurements against a Kubernetes API server, printed as tables; too slow for every build, so
 * they run only when they are named:
 *
 * <pre>{@code
 * KUBEBUILDER_ASSETS=... mvn test -Dtest=UpstreamMeasurements
 * KUBEBUILDER_ASSETS=... mvn test -Dtest='UpstreamMeasurements#memory*' -Dstrategies=AUTO,LIST_WATCH
 * }</pre>
 */
class UpstreamMeasurements {

    private static final int WRITERS = 16;
    private static final int LOCAL_WATCHERS = 200;
    private static final String NAMESPACE = "record";

    private final List<Strategy> strategies = strategies();

    private static List<Strategy> strategies() {
        String wanted = System.getProperty("strategies", "");
        return wanted.isEmpty()
                ? List.of(Strategy.values())
                : Arrays.stream(wanted.split(",")).map(Strategy::valueOf).toList();
    }

    /** 20,000 config maps in pages of 50, compaction every second, and a writer. */
    @Test
    void lists_that_outlast_the_compaction_interval() throws Exception {
        longLists("with watch-lists", "ListFromCacheSnapshot=false", strategies);
        longLists(
                "without watch-lists",
                "ListFromCacheSnapshot=false,WatchList=false",
                strategies.stream().filter(strategy -> strategy != Strategy.WATCH_LIST).toList());
    }

    private void longLists(String title, String gates, List<Strategy> chosen) throws Exception {
        try (RealApiServer server =
                server(
                        "--etcd-compaction-interval=1s",
                        "--feature-gates=" + gates,
                        "--watch-cache-sizes=configmaps#0")) {
            server.ensureNamespace(NAMESPACE);
            create(server, 20_000, i -> configMap(NAMESPACE, "n" + i).data("k", "v" + i));
            MarkdownTablePrinter table =
                    new MarkdownTablePrinter(
                            "20,000 config maps in pages of 50, " + title,
                            "strategy",
                            "lists",
                            "pages",
                            "expired",
                            "waits",
                            "seconds until synchronised");
            for (Strategy strategy : chosen) {
                longList(server, strategy, table);
            }
        }
    }

    private static void longList(
            RealApiServer server, Strategy strategy, MarkdownTablePrinter table) {
        AtomicInteger lists = new AtomicInteger();
        AtomicInteger pages = new AtomicInteger();
        ReflectorFixturePlan plan =
                ReflectorFixturePlan.of(ServedTypes.CONFIGMAPS)
                        .by(strategy)
                        .inPagesOf(50)
                        .patiently()
                        .through(
                                api ->
                                        new UpstreamInterceptor(
                                                api, list -> count(list, lists, pages), w -> w));
        long began = System.nanoTime();
        ScheduledExecutorService writer = writer(server);
        try (ReflectorFixture fixture = ReflectorFixture.of(server, plan).synced()) {
            double seconds = secondsSince(began);
            writer.close();
            fixture.awaitConsistency(fixture::truth);
            table.row(
                    strategy,
                    lists.get(),
                    pages.get(),
                    fixture.count(Counter.LISTS_EXPIRED),
                    fixture.waits(),
                    seconds);
        } finally {
            writer.shutdownNow();
        }
    }

    private static void count(ListRequest request, AtomicInteger lists, AtomicInteger pages) {
        pages.incrementAndGet();
        if (request.continueToken() == null) {
            lists.incrementAndGet();
        }
    }

    private static ScheduledExecutorService writer(RealApiServer server) {
        ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor();
        AtomicInteger changes = new AtomicInteger();
        Runnable change =
                () -> {
                    int number = changes.incrementAndGet();
                    server.replace(
                            configMap(NAMESPACE, "n" + number % 20_000).data("c", "" + number));
                };
        var _ = writer.scheduleWithFixedDelay(change, 0, 10, TimeUnit.MILLISECONDS);
        return writer;
    }

    /**
     * 25,000 pods of 5 KB: what is alive on the heap during a synchronisation, by the most of all
     * samples, over what is alive after it.
     */
    @Test
    void memory_during_synchronization() throws Exception {
        try (RealApiServer server = server()) {
            server.ensureNamespace(NAMESPACE);
            create(server, 25_000, UpstreamMeasurements::largePod);
            MarkdownTablePrinter table =
                    new MarkdownTablePrinter(
                            "25,000 pods: live heap in MB",
                            "strategy",
                            "what",
                            "bytes stored",
                            "before",
                            "at most",
                            "after",
                            "at most / after",
                            "samples");
            for (Strategy strategy : strategies) {
                memory(server, strategy, table);
            }
        }
    }

    private static void memory(
            RealApiServer server, Strategy strategy, MarkdownTablePrinter table) {
        ReflectorFixturePlan plan =
                ReflectorFixturePlan.of(ServedTypes.PODS).by(strategy).inPagesOf(500);
        long before = LiveHeap.bytes();
        LiveHeap heap = LiveHeap.sampled();
        try (ReflectorFixture fixture = ReflectorFixture.of(server, plan).synced()) {
            heap.close();
            table.row(measured(strategy, "first", fixture, before, heap));
            server.create(pod(NAMESPACE, "first-" + strategy.name().length()));
            fixture.awaitConsistency(fixture::truth);
            resynchronize(server, strategy, fixture, table);
            server.delete(ServedTypes.PODS, NAMESPACE, "first-" + strategy.name().length());
        }
    }

    private static void resynchronize(
            RealApiServer server,
            Strategy strategy,
            ReflectorFixture fixture,
            MarkdownTablePrinter table) {
        fixture.holdWaits();
        server.stop();
        fixture.awaitRest();
        server.start();
        server.patch(
                ServedTypes.PODS,
                NAMESPACE,
                "pod-7",
                "{\"metadata\": {\"labels\": {\"a\": \"%s\"}}}".formatted(strategy));
        // What the server remembers now begins after this change.
        server.restart();
        // Until its cache stands, the server answers watches from etcd, which remembers more.
        Awaitility.await().until(() -> cachedPod(server).code() == 200);
        long before = LiveHeap.bytes();
        LiveHeap heap = LiveHeap.sampled();
        fixture.releaseWaits();
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> fixture.count(Counter.RESYNCS_BRIDGED) == 1);
        heap.close();
        table.row(measured(strategy, "again, after a 410", fixture, before, heap));
    }

    private static RestClient.RestResponse cachedPod(RealApiServer server) {
        return server.client()
                .get(ServedTypes.PODS.collectionPath(NAMESPACE) + "/pod-7?resourceVersion=0");
    }

    private static Object[] measured(
            Strategy strategy, String what, ReflectorFixture fixture, long before, LiveHeap heap) {
        long after = LiveHeap.bytes();
        return new Object[] {
            strategy,
            what,
            megabytes(fixture.mirror().bytes()),
            megabytes(before),
            megabytes(heap.most()),
            megabytes(after),
            (double) heap.most() / after,
            heap.samples()
        };
    }

    private static Manifest largePod(int number) {
        StringBuilder variables = new StringBuilder();
        for (int i = 0; i < 17; i++) {
            variables.append(
                    "%s{\"name\": \"VARIABLE_%d\", \"value\": \"value %d of pod %d\"}"
                            .formatted(i == 0 ? "" : ",", i, i, number));
        }
        return pod(NAMESPACE, "pod-" + number)
                .label("app", "app-" + number % 50)
                .annotation("example.com/description", "a synthetic pod ".repeat(64))
                .with(
                        """
                        {"spec": {"nodeName": "node-%d",
                          "containers": [{"name": "main", "image": "example.com/main:1",
                            "env": [%s]}]}}
                        """
                                .formatted(number % 100, variables));
    }

    /** What {@value #LOCAL_WATCHERS} local watchers see of each fault, and how long it lasts. */
    @Test
    void effects_of_faults_on_local_watchers() throws Exception {
        for (Strategy strategy : strategies) {
            MarkdownTablePrinter table =
                    new MarkdownTablePrinter(
                            "%s, %d local watchers".formatted(strategy, LOCAL_WATCHERS),
                            "fault",
                            "what the local watchers saw",
                            "seconds until true again");
            try (RealFaults realFaults = new RealFaults(server(), strategy)) {
                realFaults.measure(LOCAL_WATCHERS, table);
            }
        }
    }

    private static RealApiServer server(String... flags) {
        ServerBinaries serverBinaries =
                ServerBinaries.find()
                        .orElseThrow(
                                () ->
                                        new IllegalStateException(
                                                "KUBEBUILDER_ASSETS names no directory with etcd"
                                                        + " and kube-apiserver"));
        return RealApiServer.start(serverBinaries, List.of(flags));
    }

    private static void create(RealApiServer server, int count, IntFunction<Manifest> manifest)
            throws InterruptedException, ExecutionException {
        List<Future<?>> created = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(WRITERS)) {
            for (int i = 0; i < count; i++) {
                int number = i;
                created.add(pool.submit(() -> server.create(manifest.apply(number))));
            }
        }
        for (Future<?> each : created) {
            each.get();
        }
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }

    private static double megabytes(long bytes) {
        return bytes / 1e6;
    }
}
