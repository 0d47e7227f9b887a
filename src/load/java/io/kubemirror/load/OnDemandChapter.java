package io.kubemirror.load;

import module java.base;

import io.kubemirror.testing.RestClient;

/**
 * The first list of a type that is mirrored on demand: 10,000 pods of 4.7 KB as they are, and
 * 10,000 config maps of 1 KB compressed, as client-go asks for them.
 */
final class OnDemandChapter {

    private static final List<Workload> WORKLOADS =
            List.of(
                    new Workload("10,000 pods of 4.7 KB", "/api/v1/pods", false),
                    new Workload(
                            "10,000 config maps of 1 KB, compressed",
                            "/api/v1/namespaces/demand/configmaps",
                            true));

    private static final int CONFIG_MAPS = 10_000;
    private static final String NAMESPACE = "demand";
    private static final int TIMES = 15;
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** What is measured in turn. */
    private static final int DIRECT = 0;

    private static final int RELAYED = 1;
    private static final int PROXIED = 2;
    private static final int FIRST = 3;
    private static final int NEXT = 4;

    private final LoadEnvironment loadEnvironment;
    private final int rounds;
    private final List<ResultRow> rows;
    private final Random random = new Random(1);

    OnDemandChapter(LoadEnvironment loadEnvironment, int rounds, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rounds = rounds;
        this.rows = rows;
    }

    /** What is listed. */
    private record Workload(String name, String path, boolean compressed) {

        /** Returns the time of a list in milliseconds. */
        double time(MeasuredServer server) {
            return (compressed
                                    ? ListMeasurement.readCompressed(server, path)
                                    : ListMeasurement.read(server, path, 1))
                            .time()
                            .toNanos()
                    / 1e6;
        }
    }

    void measure() {
        MeasuredServer api = loadEnvironment.api();
        loadEnvironment.loadFixtures().configMaps(api, NAMESPACE, CONFIG_MAPS);
        try (CutConnections relay = new CutConnections(api.port());
                PlainProxy proxy = new PlainProxy(api.port());
                Sidecar sidecar =
                        loadEnvironment.sidecar(
                                List.of("-Xmx512m"),
                                List.of(
                                        "kubemirror.pass-through.mode=own",
                                        "kubemirror.resources[0].start=on-demand",
                                        "kubemirror.resources[0].idle=1s"),
                                api.port(),
                                "*")) {
            MeasuredServer relayed =
                    new MeasuredServer("a relay of bytes", relay.port(), api.pid());
            List<MeasuredServer> others = List.of(api, relayed, proxy.side());
            for (Workload workload : WORKLOADS) {
                measure(workload, others, sidecar);
            }
        } finally {
            // Other chapters mirror all config maps.
            loadEnvironment.loadFixtures().deleteConfigMaps(NAMESPACE);
        }
    }

    private void measure(Workload workload, List<MeasuredServer> others, Sidecar sidecar) {
        List<List<Double>> times = new ArrayList<>();
        round(workload, others, sidecar);
        for (int i = 0; i < rounds * TIMES; i++) {
            times.add(round(workload, others, sidecar));
        }
        List<List<List<Double>>> each =
                IntStream.range(0, rounds)
                        .mapToObj(i -> times.subList(i * TIMES, (i + 1) * TIMES))
                        .toList();
        double direct = median(times, DIRECT);
        double first = median(times, FIRST);
        rows.add(
                new ResultRow(
                        "first list of a type on demand, %s: time; of the next one"
                                .formatted(workload.name()),
                        "at most 1.1 times the API server's",
                        "%.0f ms; %.0f ms".formatted(first, median(times, NEXT)),
                        "%.0f ms".formatted(direct),
                        "%.2f".formatted(first / direct),
                        Judged.atMost(
                                1.1, each, round -> median(round, FIRST) / median(round, DIRECT))));
        rows.add(
                ResultRow.reference(
                        "… through a relay of bytes, and through a proxy that only copies requests",
                        "%.2f, %.2f"
                                .formatted(
                                        median(times, RELAYED) / direct,
                                        median(times, PROXIED) / direct)));
    }

    /**
     * Takes the times of all in milliseconds, in an order that changes: the first of a round finds
     * the machine idle. Ends when the mirror is gone.
     */
    private List<Double> round(Workload workload, List<MeasuredServer> others, Sidecar sidecar) {
        Double[] times = new Double[NEXT + 1];
        List<Integer> order = new ArrayList<>(List.of(DIRECT, RELAYED, PROXIED, FIRST));
        Collections.shuffle(order, random);
        for (int way : order) {
            if (way == FIRST) {
                times[FIRST] = workload.time(sidecar.side());
                await(() -> isSynced(sidecar, workload));
                times[NEXT] = workload.time(sidecar.side());
            } else {
                times[way] = workload.time(others.get(way));
            }
        }
        await(() -> sidecar.metric("kubemirror_on_demand_types") == 0);
        return List.of(times);
    }

    /** Each request is a use, so the mirror does not end meanwhile. */
    private static boolean isSynced(Sidecar sidecar, Workload workload) {
        return RestClient.of(URI.create("http://127.0.0.1:" + sidecar.side().port()))
                .get(workload.path() + "?limit=1")
                .header("kubemirror-state")
                .equals("synced");
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("the mirror takes longer than " + LIMIT);
            }
            Pacer.of(PAUSE);
        }
    }

    private static double median(List<List<Double>> rounds, int way) {
        return Medians.of(rounds, times -> times.get(way));
    }
}
