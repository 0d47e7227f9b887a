package io.kubemirror.load;

import module java.base;

import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

/**
 * What an API server is asked for by 500 sidecars that start at once, with reflectors that start
 * spread over a time, and without that.
 *
 * <p>Processes are simulated: each is three reflectors and mirrors of this JVM with a client, a
 * limit of concurrent lists, and a probe of their own. It has no start of a JVM, which would spread
 * them further, and all share the processors with the API server.
 */
final class FleetChapter {

    private static final int PROCESSES = 500;
    private static final int OBJECTS = 100;
    private static final String NAMESPACE = "fleet";

    /** None, that of kubemirror, and more. */
    private static final List<Duration> SPREADS =
            List.of(Duration.ZERO, Duration.ofMillis(500), Duration.ofSeconds(10));

    private static final int WARM_UP = 20;

    private final int rounds;
    private final List<ResultRow> rows;

    FleetChapter(int rounds, List<ResultRow> rows) {
        this.rounds = rounds;
        this.rows = rows;
    }

    void measure() {
        try (RealApiServer api = LoadEnvironment.start()) {
            fill(api);
            var _ = started(api, WARM_UP, Duration.ZERO);
            List<List<FleetStart>> bySpread =
                    SPREADS.stream()
                            .map(_ -> (List<FleetStart>) new ArrayList<FleetStart>())
                            .toList();
            for (int i = 0; i < rounds; i++) {
                for (int j = 0; j < SPREADS.size(); j++) {
                    bySpread.get(j).add(started(api, PROCESSES, SPREADS.get(j)));
                }
            }
            for (int j = 0; j < SPREADS.size(); j++) {
                row(SPREADS.get(j), bySpread.get(j));
            }
        }
    }

    private static void fill(RealApiServer api) {
        String padding = "x".repeat(600);
        api.ensureNamespace(NAMESPACE);
        for (int i = 0; i < OBJECTS; i++) {
            String name = "n" + i;
            api.create(Manifests.configMap(NAMESPACE, name).annotation("padding", padding));
            api.create(Manifests.secret(NAMESPACE, name).annotation("padding", padding));
            api.create(Manifests.pod(NAMESPACE, name).annotation("padding", padding));
        }
    }

    private static FleetStart started(RealApiServer api, int processes, Duration spread) {
        long pid = api.pid();
        ProcessUsage before = ProcessUsage.of(pid);
        try (Fleet fleet =
                new Fleet(
                        api,
                        processes,
                        List.of(ServedTypes.CONFIGMAPS, ServedTypes.SECRETS, ServedTypes.PODS),
                        spread)) {
            FleetStart start = fleet.start(() -> ProcessUsage.of(pid).cpuSince(before));
            System.out.printf("%d processes, start-spread %s: %s%n", processes, spread, start);
            return start;
        }
    }

    private void row(Duration spread, List<FleetStart> starts) {
        rows.add(
                new ResultRow(
                        what(spread),
                        "each list asked for once",
                        "%,.0f/s, %,.0f, %.1f s; %,.0f lists, CPU of the API server %.1f s"
                                .formatted(
                                        Medians.of(starts, FleetStart::perSecond),
                                        Medians.of(starts, FleetStart::atOnce),
                                        Medians.of(starts, FleetStart::seconds),
                                        Medians.of(starts, FleetStart::lists),
                                        Medians.of(starts, each -> each.cpu().toMillis() / 1e3)),
                        "",
                        "",
                        Judged.holds(starts, each -> each.lists() == PROCESSES * Fleet.TYPES)));
    }

    private static String what(Duration spread) {
        return spread.isZero()
                ? "%d sidecars of three types start at once without `start-spread`, simulated by %,d reflectors of one JVM beside the API server, without the start of a JVM each, %d objects of 1 KB of each type: most lists begun in a second, most at once, until all are synchronized"
                        .formatted(PROCESSES, PROCESSES * Fleet.TYPES, OBJECTS)
                : "… with `start-spread` %,d ms".formatted(spread.toMillis());
    }
}
