package io.kubemirror.load;

import module java.base;

import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.real.RealApiServer;

/** Writes through kubemirror: what reads after them show, and how long the writes take. */
final class WritesChapter {

    private static final String NAMESPACE = "writes";
    private static final String COLLECTION = "/api/v1/namespaces/" + NAMESPACE + "/pods";
    private static final int TIMED_WRITES = 2_000;
    private static final int RESTARTS = 3;

    /** The ways that a write takes: directly, and through something. */
    private static final int DIRECT = 0;

    private static final int RELAYED = 1;
    private static final int PROXIED = 2;
    private static final int MIRRORED = 3;
    private static final int WAYS = 4;

    private static final Duration BETWEEN_CUTS = Duration.ofSeconds(2);

    private final LoadEnvironment loadEnvironment;
    private final int rounds;
    private final List<ResultRow> rows;

    WritesChapter(LoadEnvironment loadEnvironment, int rounds, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rounds = rounds;
        this.rows = rows;
    }

    /**
     * Measures both.
     *
     * @param pairs of a write and a read
     * @param writers that write and read at the same time
     */
    void measure(int pairs, int writers) {
        try (RealApiServer api = LoadEnvironment.start()) {
            api.ensureNamespace(NAMESPACE);
            latency(api);
            try (CutConnections connections = new CutConnections(api.url().getPort());
                    Sidecar sidecar = loadEnvironment.writingSidecar(connections.port(), "pods")) {
                faults(api, connections, sidecar, pairs, writers);
            }
        }
    }

    private static RestClient client(int port) {
        return RestClient.of(URI.create("http://127.0.0.1:" + port));
    }

    private void faults(
            RealApiServer api,
            CutConnections connections,
            Sidecar sidecar,
            int count,
            int writers) {
        long seed = Long.getLong("load.seed", new Random().nextLong());
        WritePairs pairs = new WritePairs(() -> client(sidecar.side().port()), COLLECTION);
        Thread run = Thread.ofPlatform().start(() -> pairs.run(writers, count, seed));
        int restarts = 0;
        int cuts = 0;
        while (run.isAlive()) {
            Pacer.of(BETWEEN_CUTS);
            connections.cut();
            cuts++;
            if (restarts < RESTARTS && pairs.pairs() >= count / (RESTARTS + 1) * (restarts + 1)) {
                api.restart();
                restarts++;
            }
        }
        System.out.printf(
                "writes, seed %d: %d writes and %d reads refused; wrong: %s%n",
                seed, pairs.refusedWrites(), pairs.refusedReads(), pairs.wrong());
        double share = 100.0 * pairs.fromMemory() / pairs.pairs();
        rows.add(
                new ResultRow(
                        "%,d pairs of a write and a read by %d clients, %d restarts of the API server, connections cut %d times"
                                .formatted(pairs.pairs(), writers, restarts, cuts),
                        "no stale read, 99 % of the reads from memory",
                        "stale: %d, from memory: %.2f %%".formatted(pairs.wrong().size(), share),
                        "",
                        "",
                        Judged.atLeast(99, List.of(share))
                                .and(
                                        Judged.holds(
                                                List.of(pairs),
                                                all ->
                                                        all.wrong().isEmpty()
                                                                && all.pairs() >= count))));
    }

    private void latency(RealApiServer api) {
        for (int way = 0; way < WAYS; way++) {
            api.client().write("POST", COLLECTION, pod("way" + way));
        }
        try (CutConnections relay = new CutConnections(api.url().getPort());
                PlainProxy proxy = new PlainProxy(api.url().getPort())) {
            List<RestClient> ways = new ArrayList<>();
            ways.add(api.client());
            ways.add(client(relay.port()));
            ways.add(client(proxy.side().port()));
            List<List<double[]>> alone = rounds(ways);
            try (Sidecar sidecar = loadEnvironment.writingSidecar(api.url().getPort(), "pods")) {
                ways.add(client(sidecar.side().port()));
                List<List<double[]>> beside = rounds(ways);
                latency(alone, beside, 50, 0.3);
                latency(alone, beside, 99, 1);
                costs(ways, proxy.side(), sidecar.side());
            }
        }
    }

    private List<List<double[]>> rounds(List<RestClient> ways) {
        List<List<double[]>> times = new ArrayList<>();
        timed(ways);
        for (int round = 0; round < rounds; round++) {
            times.add(timed(ways));
        }
        return times;
    }

    /**
     * Adds a row.
     *
     * @param alone the times while no kubemirror runs
     * @param beside the times while a kubemirror mirrors the type
     */
    private void latency(
            List<List<double[]>> alone, List<List<double[]>> beside, int percent, double most) {
        double direct = median(beside, DIRECT, percent);
        double mirrored = median(beside, MIRRORED, percent);
        double relayed = median(beside, RELAYED, percent) - direct;
        double proxied = median(beside, PROXIED, percent) - direct;
        double directAlone = median(alone, DIRECT, percent);
        double proxiedAlone = median(alone, PROXIED, percent) - directAlone;
        rows.add(
                new ResultRow(
                                "time of a write, p%d".formatted(percent),
                                "at most %.1f ms more".formatted(most),
                                "%.2f ms".formatted(mirrored),
                                "%.2f ms".formatted(direct),
                                "%+.2f ms".formatted(mirrored - direct),
                                Judged.atMost(
                                        most,
                                        beside,
                                        ways ->
                                                at(ways, MIRRORED, percent)
                                                        - at(ways, DIRECT, percent)))
                        .above(
                                "a relay of bytes %+.2f ms, a proxy that only copies requests %+.2f ms; without kubemirror beside it, %+.2f ms to %.2f ms"
                                        .formatted(relayed, proxied, proxiedAlone, directAlone)));
    }

    /** Adds what one write costs each process, which other load changes less than the time. */
    private void costs(List<RestClient> ways, MeasuredServer proxy, MeasuredServer mirror) {
        Cost event = cost(ways, DIRECT, mirror);
        Cost copied = cost(ways, PROXIED, proxy);
        Cost passed = cost(ways, MIRRORED, mirror);
        rows.add(
                ResultRow.reference(
                        "CPU time and waits of threads for each write",
                        "kubemirror %s, of which its mirror takes %s by the event alone; %s %s"
                                .formatted(
                                        passed.text(), event.text(), proxy.name(), copied.text())));
    }

    /** What a write costs a process: processor time in milliseconds, and waits of its threads. */
    private record Cost(double cpu, double waits) {

        String text() {
            return "%.2f ms and %.1f waits".formatted(cpu, waits);
        }
    }

    private static Cost cost(List<RestClient> ways, int way, MeasuredServer server) {
        ProcessUsage before = server.usage();
        for (int i = 0; i < TIMED_WRITES; i++) {
            patch(ways.get(way), "way" + way, TIMED_WRITES + i);
        }
        ProcessUsage after = server.usage();
        return new Cost(
                (double) after.cpuSince(before).toMillis() / TIMED_WRITES,
                (double) (after.waits() - before.waits()) / TIMED_WRITES);
    }

    private static double median(List<List<double[]>> rounds, int way, int percent) {
        return Medians.of(rounds, ways -> at(ways, way, percent));
    }

    private static double at(List<double[]> ways, int way, int percent) {
        return ways.get(way)[TIMED_WRITES * percent / 100];
    }

    /** Times writes by turns, in milliseconds and in order, each way. */
    private static List<double[]> timed(List<RestClient> ways) {
        List<double[]> times = new ArrayList<>();
        ways.forEach(_ -> times.add(new double[TIMED_WRITES]));
        for (int i = 0; i < TIMED_WRITES; i++) {
            for (int way = 0; way < ways.size(); way++) {
                times.get(way)[i] = patch(ways.get(way), "way" + way, i);
            }
        }
        times.forEach(Arrays::sort);
        return times;
    }

    private static double patch(RestClient client, String name, int value) {
        String body = "{\"metadata\": {\"labels\": {\"at\": \"%d\"}}}".formatted(value);
        long begun = System.nanoTime();
        client.write("PATCH", COLLECTION + "/" + name, body);
        return (System.nanoTime() - begun) / 1e6;
    }

    private static String pod(String name) {
        return """
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"},
         "spec": {"containers": [{"name": "main", "image": "example.com/main:1"}]}}
        """
                .formatted(name);
    }
}
