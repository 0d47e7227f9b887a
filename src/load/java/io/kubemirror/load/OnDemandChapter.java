package io.kubemirror.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The first list of a type that is mirrored on demand: 10,000 pods of 4.7 KB. */
final class OnDemandChapter {

    private static final String PODS = "/api/v1/pods";
    private static final int TIMES = 10;
    private static final Duration PAUSE = Duration.ofMillis(20);

    /** What is measured in turn. */
    private static final int DIRECT = 0;

    private static final int RELAYED = 1;
    private static final int PROXIED = 2;
    private static final int FIRST = 3;
    private static final int NEXT = 4;

    private final LoadEnvironment loadEnvironment;
    private final int rounds;
    private final List<ResultRow> rows;

    OnDemandChapter(LoadEnvironment loadEnvironment, int rounds, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rounds = rounds;
        this.rows = rows;
    }

    void measure() {
        MeasuredServer api = loadEnvironment.api();
        List<List<Double>> times = new ArrayList<>();
        try (CutConnections relay = new CutConnections(api.port());
                PlainProxy proxy = new PlainProxy(api.port());
                Sidecar sidecar =
                        loadEnvironment.sidecar(
                                List.of("-Xmx512m"),
                                List.of(
                                        "kubemirror.resources[0].start=on-demand",
                                        "kubemirror.resources[0].idle=1s"),
                                api.port(),
                                "*")) {
            MeasuredServer relayed =
                    new MeasuredServer("a relay of bytes", relay.port(), api.pid());
            List<MeasuredServer> others = List.of(api, relayed, proxy.side());
            round(others, sidecar);
            for (int i = 0; i < rounds * TIMES; i++) {
                times.add(round(others, sidecar));
            }
        }
        double direct = median(times, DIRECT);
        double first = median(times, FIRST);
        rows.add(
                new ResultRow(
                                "first list of a type on demand, 10,000 pods of 4.7 KB: time; of"
                                        + " the next one",
                                "at most 1.1 times the API server's",
                                "%.0f ms; %.0f ms".formatted(first, median(times, NEXT)),
                                "%.0f ms".formatted(direct),
                                "%.2f".formatted(first / direct),
                                first <= 1.1 * direct)
                        .above(
                                "through a relay of bytes it takes %.0f ms, %.2f times the API server's, and through a proxy that only copies requests %.0f ms, %.2f times"
                                        .formatted(
                                                median(times, RELAYED),
                                                median(times, RELAYED) / direct,
                                                median(times, PROXIED),
                                                median(times, PROXIED) / direct)));
    }

    /** Takes the times of all in milliseconds. Ends when the mirror is gone. */
    private static List<Double> round(List<MeasuredServer> others, Sidecar sidecar) {
        List<Double> times = new ArrayList<>();
        others.forEach(other -> times.add(time(other)));
        times.add(time(sidecar.side()));
        await(sidecar, "kubemirror_synced", 1);
        times.add(time(sidecar.side()));
        await(sidecar, "kubemirror_on_demand_types", 0);
        return times;
    }

    private static void await(Sidecar sidecar, String metric, double value) {
        while (sidecar.metric(metric) != value) {
            Pacer.of(PAUSE);
        }
    }

    private static double time(MeasuredServer server) {
        return ListMeasurement.read(server, PODS, 1).time().toNanos() / 1e6;
    }

    private static double median(List<List<Double>> rounds, int way) {
        return Medians.of(rounds, times -> times.get(way));
    }
}
