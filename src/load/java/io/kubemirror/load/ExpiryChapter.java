package io.kubemirror.load;

import module java.base;

import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.testing.LiveHeap;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.UpstreamInterceptor;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

/**
 * What each strategy needs for a collection that takes longer to list than the API server keeps its
 * revision: 25,000 pods of 4.7 KB, compaction twice a second, and a writer. Time and memory are
 * measured in different synchronizations, because the collections that show what is alive take
 * time.
 */
final class ExpiryChapter {

    private static final int PODS = 25_000;
    private static final int PAGE = 500;
    private static final int WARM_UPS = 2;
    private static final Duration BETWEEN_CHANGES = Duration.ofMillis(10);

    private static final String COMPACTION = "--etcd-compaction-interval=500ms";

    /** Pages are then read from etcd, as before Kubernetes 1.34. */
    private static final String FEATURES = "--feature-gates=ListFromCacheSnapshot=false";

    private final int rounds;
    private final List<ResultRow> rows;

    ExpiryChapter(int rounds, List<ResultRow> rows) {
        this.rounds = rounds;
        this.rows = rows;
    }

    /**
     * One synchronization.
     *
     * @param lists how often a list began
     * @param pages how many requests were made for all of them, those that were refused included
     * @param whole whether one of them was for the whole collection in one response
     * @param expired how many tokens expired
     * @param nanos until the mirror could be read
     * @param added the most that was alive on the heap in addition, in bytes; 0 if it was not
     *     measured
     * @param stored bytes of JSON
     */
    private record Expiry(
            int lists,
            int pages,
            boolean whole,
            long expired,
            long nanos,
            long added,
            long stored) {

        /** Whether there was one list with each page once, although tokens expired. */
        boolean once() {
            return lists == 1 && expired > 0 && pages - expired == PODS / PAGE;
        }
    }

    void measure() {
        measure(FEATURES, "", List.of(Strategy.values()));
        measure(FEATURES + ",WatchList=false", ", no watch-lists", List.of(Strategy.AUTO));
    }

    private void measure(String features, String server, List<Strategy> strategies) {
        try (RealApiServer api = LoadEnvironment.start(COMPACTION, features)) {
            new LoadFixtures(api).pods(PODS);
            long baseline = LiveHeap.bytes();
            for (int i = 0; i < WARM_UPS; i++) {
                var _ = synchronize(api, Strategy.LIST_WATCH_PARALLEL, false, baseline);
            }
            strategies.forEach(strategy -> measure(api, server, strategy, baseline));
        }
    }

    private void measure(RealApiServer api, String server, Strategy strategy, long baseline) {
        List<Expiry> timed = new ArrayList<>();
        List<Expiry> weighed = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            timed.add(synchronize(api, strategy, false, baseline));
            weighed.add(synchronize(api, strategy, true, baseline));
        }
        double stored = Medians.of(weighed, Expiry::stored);
        double added = Medians.of(weighed, Expiry::added);
        double lists = Medians.of(timed, Expiry::lists);
        double pages = Medians.of(timed, Expiry::pages);
        double expired = Medians.of(timed, Expiry::expired);
        boolean parallel = strategy == Strategy.LIST_WATCH_PARALLEL;
        rows.add(
                new ResultRow(
                        "sync of 25,000 such pods in pages of 500 with tokens that expire, `%s`%s"
                                .formatted(name(strategy), server),
                        parallel
                                ? "one list, each page once, live heap at most 1.25 times the JSON"
                                : "syncs",
                        "lists: %.0f, requests: %.0f%s, expired: %.0f; %.1f s; heap %.0f MB over %.0f MB"
                                .formatted(
                                        lists,
                                        pages,
                                        timed.getLast().whole() ? " (one for everything)" : "",
                                        expired,
                                        Medians.of(timed, Expiry::nanos) / 1e9,
                                        added / 1e6,
                                        stored / 1e6),
                        "",
                        "%.2f".formatted(added / stored),
                        parallel
                                ? Judged.atMost(
                                                1.25,
                                                weighed,
                                                each -> (double) each.added() / each.stored())
                                        .and(Judged.holds(timed, Expiry::once))
                                : Judged.holds(timed, _ -> true)));
    }

    private static String name(Strategy strategy) {
        return strategy.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Synchronizes a new mirror.
     *
     * @param baseline the live heap without a mirror, in bytes
     */
    private static Expiry synchronize(
            RealApiServer api, Strategy strategy, boolean withHeap, long baseline) {
        List<ListRequest> requests = new CopyOnWriteArrayList<>();
        ReflectorFixturePlan plan =
                ReflectorFixturePlan.of(ServedTypes.PODS)
                        .by(strategy)
                        .inPagesOf(PAGE)
                        .patiently()
                        .through(onward -> new UpstreamInterceptor(onward, requests::add, w -> w));
        long before = LiveHeap.awaitBaseline(baseline);
        LiveHeap heap = withHeap ? LiveHeap.sampled() : null;
        long begun = System.nanoTime();
        try (ScheduledExecutorService _ = writer(api);
                ReflectorFixture fixture = ReflectorFixture.of(api, plan).synced()) {
            long nanos = System.nanoTime() - begun;
            long added = heap == null ? 0 : heap.stop() - before;
            if (fixture.mirror().snapshot().orElseThrow().size() != PODS) {
                throw new IllegalStateException("the mirror does not have all pods");
            }
            Expiry expiry =
                    new Expiry(
                            (int) requests.stream().filter(r -> r.continueToken() == null).count(),
                            requests.size(),
                            requests.stream().anyMatch(r -> r.limit() == 0),
                            fixture.count(Counter.LISTS_EXPIRED)
                                    + fixture.count(Counter.PAGES_EXPIRED),
                            nanos,
                            added,
                            fixture.mirror().bytes());
            System.out.println("expired tokens, " + strategy + ": " + expiry);
            return expiry;
        }
    }

    private static ScheduledExecutorService writer(RealApiServer api) {
        ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor();
        AtomicInteger changes = new AtomicInteger();
        Runnable change =
                () -> {
                    int number = changes.incrementAndGet() % PODS;
                    api.patch(
                            ServedTypes.PODS,
                            "pods-" + number % LoadFixtures.NAMESPACES,
                            "pod-" + number,
                            "{\"metadata\": {\"labels\": {\"at\": \"%d\"}}}"
                                    .formatted(System.nanoTime()));
                };
        var _ =
                writer.scheduleWithFixedDelay(
                        change, 0, BETWEEN_CHANGES.toMillis(), TimeUnit.MILLISECONDS);
        return writer;
    }
}
