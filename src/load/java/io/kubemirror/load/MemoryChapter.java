package io.kubemirror.load;

import module java.base;

import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.awaitility.Awaitility;

/**
 * What is alive on the heap while 25,000 pods of 4.7 KB are synchronized, by the most of all
 * samples: first, and again after a 410, when the mirror still shows the state before.
 */
final class MemoryChapter {

    private static final int PODS = 25_000;
    private static final int PAGE = 500;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** A pod that changes while nobody watches. */
    private static final String NAMESPACE = "pods-7";

    private static final String POD = "pod-7";

    private final List<ResultRow> rows;

    MemoryChapter(List<ResultRow> rows) {
        this.rows = rows;
    }

    void measure() {
        try (RealApiServer api = LoadEnvironment.start()) {
            new LoadFixtures(api).pods(PODS);
            long baseline = LiveHeap.bytes();
            for (Strategy strategy : Strategy.values()) {
                measure(api, strategy, LiveHeap.awaitBaseline(baseline));
            }
        }
    }

    private void measure(RealApiServer api, Strategy strategy, long before) {
        ReflectorFixturePlan plan =
                ReflectorFixturePlan.of(ServedTypes.PODS).by(strategy).inPagesOf(PAGE);
        LiveHeap first = LiveHeap.sampled();
        try (ReflectorFixture fixture = ReflectorFixture.of(api, plan).synced()) {
            long most = first.stop() - before;
            long again = afterExpiry(api, fixture) - before;
            double stored = fixture.mirror().bytes();
            rows.add(
                    new ResultRow(
                            "sync of 25,000 such pods, `%s`: live heap at most, and again after a 410"
                                    .formatted(
                                            strategy.name()
                                                    .toLowerCase(Locale.ROOT)
                                                    .replace('_', '-')),
                            "at most 1.25 and 1.5 times the JSON",
                            "%.0f MB, %.0f MB over %.0f MB"
                                    .formatted(most / 1e6, again / 1e6, stored / 1e6),
                            "",
                            "%.2f, %.2f".formatted(most / stored, again / stored),
                            Judged.atMost(1.25, List.of(most / stored))
                                    .and(Judged.atMost(1.5, List.of(again / stored)))));
        }
    }

    /** Synchronizes again, and returns the most that was alive. */
    private static long afterExpiry(RealApiServer api, ReflectorFixture fixture) {
        fixture.holdWaits();
        api.stop();
        fixture.awaitRest();
        api.start();
        api.patch(
                ServedTypes.PODS,
                NAMESPACE,
                POD,
                "{\"metadata\": {\"labels\": {\"at\": \"%d\"}}}".formatted(System.nanoTime()));
        // What the server remembers now begins after this change.
        api.restart();
        // Until its cache stands, the server answers watches from etcd, which remembers more.
        String cached = ServedTypes.PODS.collectionPath(NAMESPACE) + "/" + POD;
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> api.client().get(cached + "?resourceVersion=0").code() == 200);
        LiveHeap heap = LiveHeap.sampled();
        fixture.releaseWaits();
        Awaitility.await().atMost(LIMIT).until(() -> fixture.count(Counter.RESYNCS_BRIDGED) == 1);
        return heap.stop();
    }
}
