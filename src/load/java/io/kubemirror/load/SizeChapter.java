package io.kubemirror.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** How large a collection may be, how soon a process is ready, and how much it keeps up with. */
final class SizeChapter {

    private static final int MANY = 100_000;
    private static final int FEW = 1_000;
    private static final int PER_SECOND = 10_000;

    /** Until the JVM has given back what only the start needed. */
    private static final Duration IDLE = Duration.ofSeconds(15);

    private final LoadEnvironment loadEnvironment;
    private final int rounds;
    private final List<ResultRow> rows;

    SizeChapter(LoadEnvironment loadEnvironment, int rounds, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rounds = rounds;
        this.rows = rows;
    }

    /** From the start of the process until it is ready, with 1,000 config maps. */
    void start() {
        List<Double> seconds = new ArrayList<>();
        List<Double> megabytes = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            try (Sidecar sidecar = loadEnvironment.sidecar(List.of(), "configmaps")) {
                seconds.add(sidecar.startup().toMillis() / 1e3);
                Pacer.of(IDLE);
                megabytes.add(sidecar.side().usage().resident() / 1048576.0);
            }
        }
        double time = Medians.of(seconds, value -> value);
        double memory = Medians.of(megabytes, value -> value);
        rows.add(
                new ResultRow(
                        "start to ready with 1,000 config maps: time, resident memory 15 s later",
                        "at most 1.2 s and 140 MB",
                        "%.2f s, %.0f MB".formatted(time, memory),
                        "",
                        "",
                        time <= 1.2 && memory <= 140));
    }

    /** 100,000 config maps in a small heap, of which a few clients need little. */
    void large() {
        loadEnvironment.loadFixtures().configMaps(loadEnvironment.api(), "large", MANY - FEW);
        List<String> options = List.of("-Xmx256m", "-Dkubemirror.memory.clients=16MB");
        try (Sidecar sidecar = loadEnvironment.sidecar(options, "configmaps")) {
            ListMeasurement list =
                    ListMeasurement.read(sidecar.side(), "/api/v1/configmaps?resourceVersion=0", 5);
            rows.add(
                    new ResultRow(
                            "100,000 config maps of 1 KB, heap of 256 MB, 16 MB of it for clients",
                            "syncs and serves",
                            "ready after %.1f s, list of %.0f MB in %.0f ms"
                                    .formatted(
                                            sidecar.startup().toMillis() / 1e3,
                                            list.bytes() / 1e6,
                                            list.time().toNanos() / 1e6),
                            "",
                            "",
                            list.bytes() > MANY * 100L));
        }
    }

    /** An upstream that changes faster than a real one can here. */
    void flood(Duration time) {
        try (FloodServer floodServer = new FloodServer(PER_SECOND, time);
                Sidecar sidecar =
                        loadEnvironment.sidecar(
                                List.of("-Xmx256m"), floodServer.port(), "configmaps")) {
            ProcessUsage before = sidecar.side().usage();
            long begun = System.nanoTime();
            while (floodServer.finished() == 0) {
                Pacer.of(Duration.ofMillis(10));
            }
            String last =
                    "/api/v1/namespaces/a/configmaps/n0?resourceVersion=" + floodServer.last();
            var _ = ListMeasurement.read(sidecar.side(), last, 1);
            double behind = (System.nanoTime() - floodServer.finished()) / 1e6;
            double cores =
                    sidecar.side().usage().cpuSince(before).toNanos()
                            / (double) (System.nanoTime() - begun);
            rows.add(
                    new ResultRow(
                            "%,d events/s upstream for %d s"
                                    .formatted(PER_SECOND, time.toSeconds()),
                            "mirrored without falling behind, by one core",
                            "%.0f ms behind at the end, %.2f cores".formatted(behind, cores),
                            "",
                            "",
                            behind < 1_000 && cores <= 1));
        }
    }
}
