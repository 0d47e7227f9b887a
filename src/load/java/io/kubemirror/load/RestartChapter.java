package io.kubemirror.load;

import module java.base;

/**
 * What mirrors on disk cost, and what they save: 100,000 config maps of 1 KB after a kill, and
 * 1,000 changes per second with and without a directory.
 */
final class RestartChapter {

    private static final int MANY = 100_000;
    private static final int FEW = 1_000;
    private static final int PER_SECOND = 1_000;
    private static final Duration STORED = Duration.ofSeconds(10);

    /** A resource without objects. */
    private static final String NONE = "replicationcontrollers";

    private final LoadEnvironment loadEnvironment;
    private final int rounds;
    private final List<ResultRow> rows;

    RestartChapter(LoadEnvironment loadEnvironment, int rounds, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rounds = rounds;
        this.rows = rows;
    }

    void measure(Duration time) {
        restarts();
        changes(time);
    }

    private void restarts() {
        loadEnvironment.loadFixtures().configMaps(loadEnvironment.api(), "large", MANY - FEW);
        Path directory = temporary();
        List<String> options = stored(directory);
        List<Double> lists = new ArrayList<>();
        List<Double> without = new ArrayList<>();
        List<Restart> restarts = new ArrayList<>();
        try (Sidecar first = loadEnvironment.sidecar(options, "configmaps")) {
            lists.add(first.startup().toMillis() / 1e3);
            Pacer.of(STORED);
            first.kill();
        }
        for (int i = 0; i < rounds; i++) {
            try (Sidecar next = loadEnvironment.sidecar(options, "configmaps")) {
                restarts.add(Restart.of(next));
                next.kill();
            }
            try (Sidecar empty = loadEnvironment.sidecar(List.of(), NONE)) {
                without.add(empty.startup().toMillis() / 1e3);
            }
        }
        double time = Medians.of(restarts, Restart::answered);
        rows.add(
                new ResultRow(
                        "100,000 config maps of 1 KB after a kill: from the start to the first"
                                + " answer; JVM and Spring, beside which the disk is read;"
                                + " without objects and disk",
                        "at most 1 s",
                        "%.2f s; %.2f s; %.2f s; by a list %.2f s"
                                .formatted(
                                        time,
                                        Medians.of(restarts, Restart::spring),
                                        Medians.of(without, value -> value),
                                        lists.getFirst()),
                        "",
                        "",
                        Judged.atMost(1, restarts, Restart::answered)));
        remove(directory);
    }

    /**
     * A start with mirrors on disk.
     *
     * @param answered from the start of the process to the first answer, in seconds
     * @param spring from there until Spring has started everything, in seconds
     */
    private record Restart(double answered, double spring) {

        static Restart of(Sidecar next) {
            String one = "/api/v1/configmaps?limit=1&resourceVersion=0";
            Duration answer = ListMeasurement.read(next.side(), one, 1).time();
            return new Restart(next.startup().plus(answer).toMillis() / 1e3, next.spring());
        }
    }

    private void changes(Duration time) {
        Path directory = temporary();
        Flood without = flood(time, List.of());
        Flood with = flood(time, stored(directory));
        double written = (with.written - without.written) / with.content;
        double cores = with.cores - without.cores;
        rows.add(
                new ResultRow(
                        "%,d changes/s on disk: CPU in addition, bytes written of those changed"
                                .formatted(PER_SECOND),
                        "at most 5 % of a core, 1.5 times",
                        "%.1f %% of a core, %.2f times".formatted(cores * 100, written),
                        "",
                        "",
                        Judged.atMost(5, List.of(cores * 100))
                                .and(Judged.atMost(1.5, List.of(written)))));
        remove(directory);
    }

    /** What a process needed for changes of so many bytes. */
    private record Flood(double cores, double written, double content) {}

    private Flood flood(Duration time, List<String> options) {
        List<String> all = new ArrayList<>(options);
        all.add("-Xmx256m");
        all.add("-Dmanagement.metrics.enable.kubemirror.upstream.received.bytes=true");
        try (FloodServer server = new FloodServer(PER_SECOND, time);
                Sidecar sidecar = loadEnvironment.sidecar(all, server.port(), "configmaps")) {
            ProcessUsage before = sidecar.side().usage();
            long begun = System.nanoTime();
            while (server.finished() == 0) {
                Pacer.of(Duration.ofMillis(10));
            }
            double cores =
                    sidecar.side().usage().cpuSince(before).toNanos()
                            / (double) (System.nanoTime() - begun);
            Pacer.of(Duration.ofMillis(500));
            return new Flood(cores, ProcessUsage.written(sidecar.side().pid()), server.sent());
        }
    }

    private static List<String> stored(Path directory) {
        return List.of("-Dkubemirror.persistence.directory=" + directory);
    }

    /** A directory for mirrors. */
    static Path temporary() {
        try {
            return Files.createTempDirectory("mirrors");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes it with all that is in it. */
    static void remove(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .map(Path::toFile)
                    .forEach(file -> file.delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
