package io.kubemirror.load;

import module java.base;

/** How large a collection may be, how soon a process is ready, and how much it keeps up with. */
final class SizeChapter {

    private static final int MANY = 100_000;
    private static final int FEW = 1_000;
    private static final int PER_SECOND = 10_000;

    private static final int HUNDREDTH = 100;

    private static final String EMPTY =
            "an empty Spring Boot application with the same libraries, configuration, and options";

    /** Until the JVM has given back what only the start needed. */
    private static final Duration IDLE = Duration.ofMinutes(1);

    private final LoadEnvironment loadEnvironment;
    private final int rounds;
    private final List<ResultRow> rows;

    SizeChapter(LoadEnvironment loadEnvironment, int rounds, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rounds = rounds;
        this.rows = rows;
    }

    /**
     * A start with 1,000 config maps in units of {@code java -version}, its first list, and the
     * memory a minute later; beside it, a start of an application that does nothing.
     *
     * @param unit of {@code java -version}, in seconds
     */
    void start(double unit) {
        ImageContents empty = loadEnvironment.emptyApplication();
        List<FirstMinute> minutes = new ArrayList<>();
        List<FirstMinute> limited = new ArrayList<>();
        List<FirstMinute> floors = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            try (Sidecar idle = empty.sidecar()) {
                double cpu = cpu(idle);
                double first = answer(idle, 1);
                var _ = answer(idle, HUNDREDTH - 2);
                double warm = answer(idle, 1);
                minutes.add(firstMinute(List.of()));
                limited.add(firstMinute(List.of("-XX:MaxRAM=256m")));
                floors.add(new FirstMinute(seconds(idle), cpu, first, warm, megabytes(idle)));
            }
        }
        String figures = floor(floors);
        started(unit, minutes, EMPTY + ": " + figures, EMPTY + ": " + answers(floors));
        double free = Medians.of(minutes, FirstMinute::megabytes);
        double small = Medians.of(limited, FirstMinute::megabytes);
        row(
                "… resident memory a minute later: without a limit, with one of 256 MB",
                "at most 130 MB, 120 MB",
                "%.0f MB, %.0f MB".formatted(free, small),
                EMPTY + ": " + figures,
                Judged.atMost(130, minutes, FirstMinute::megabytes)
                        .and(Judged.atMost(120, limited, FirstMinute::megabytes)));
        rows.add(ResultRow.reference("… of " + EMPTY, figures + "; " + answers(floors)));
    }

    private static String answers(List<FirstMinute> floors) {
        return "404 for the first time %.1f ms, for the hundredth %.1f ms"
                .formatted(
                        Medians.of(floors, FirstMinute::first),
                        Medians.of(floors, FirstMinute::warm));
    }

    private static String floor(List<FirstMinute> floors) {
        return "%.2f s, %.2f s of CPU, %.0f MB resident two minutes later"
                .formatted(
                        Medians.of(floors, FirstMinute::seconds),
                        Medians.of(floors, FirstMinute::cpu),
                        Medians.of(floors, FirstMinute::megabytes));
    }

    private void started(double unit, List<FirstMinute> minutes, String floor, String firstFloor) {
        double time = Medians.of(minutes, FirstMinute::seconds);
        double cpu = Medians.of(minutes, FirstMinute::cpu);
        row(
                "start to ready with 1,000 config maps: time, over `java -version`; CPU",
                "at most 20 times, 1.6 s of CPU",
                "%.2f s, %.0f times %.0f ms; %.2f s of CPU"
                        .formatted(time, time / unit, unit * 1e3, cpu),
                floor,
                Judged.atMost(20, minutes, each -> each.seconds() / unit)
                        .and(Judged.atMost(1.6, minutes, FirstMinute::cpu)));
        double first = Medians.of(minutes, FirstMinute::first);
        double warm = Medians.of(minutes, FirstMinute::warm);
        row(
                "… its first list of them, over the hundredth",
                "at most 3 times",
                "%.1f ms, %.1f ms: %.1f times".formatted(first, warm, first / warm),
                firstFloor,
                Judged.atMost(3, minutes, each -> each.first() / each.warm()));
    }

    private void row(String what, String demanded, String seen, String floor, Judged judged) {
        rows.add(new ResultRow(what, demanded, seen, "", "", judged, floor));
    }

    /**
     * What a process needs until a minute after it is ready.
     *
     * @param seconds from the start until it is ready
     * @param cpu until then, in seconds
     * @param first the first list, or the first answer of an empty application, in milliseconds
     * @param warm the hundredth, in milliseconds
     * @param megabytes resident at the end
     */
    private record FirstMinute(
            double seconds, double cpu, double first, double warm, double megabytes) {}

    private FirstMinute firstMinute(List<String> options) {
        try (Sidecar sidecar = loadEnvironment.sidecar(options, "configmaps")) {
            double cpu = cpu(sidecar);
            double first = list(sidecar, 1);
            var _ = list(sidecar, HUNDREDTH - 2);
            double warm = list(sidecar, 1);
            Pacer.of(IDLE);
            return new FirstMinute(seconds(sidecar), cpu, first, warm, megabytes(sidecar));
        }
    }

    private static double seconds(Sidecar sidecar) {
        return sidecar.startup().toMillis() / 1e3;
    }

    private static double cpu(Sidecar sidecar) {
        return sidecar.side().usage().cpu().toMillis() / 1e3;
    }

    private static double megabytes(Sidecar sidecar) {
        return sidecar.side().usage().resident() / 1048576.0;
    }

    /** Returns the time of a 404, in milliseconds. */
    private static double answer(Sidecar sidecar, int times) {
        return ListMeasurement.refused(sidecar.side(), "/nothing", times).toNanos() / 1e6;
    }

    /** Returns the time of a list, in milliseconds. */
    private static double list(Sidecar sidecar, int times) {
        String target = "/api/v1/configmaps?resourceVersion=0";
        return ListMeasurement.read(sidecar.side(), target, times).time().toNanos() / 1e6;
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
                            Judged.holds(List.of(list), one -> one.bytes() > MANY * 100L)));
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
                            Judged.atMost(1_000, List.of(behind))
                                    .and(Judged.atMost(1, List.of(cores)))));
        }
    }
}
