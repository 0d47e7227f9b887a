package io.kubemirror.load;

import module java.base;

/**
 * What 10,000 clients cost while they open their watches of config maps, 500 each second, and
 * shortly after that, when nothing changes: at the API server, and at a kubemirror that has no
 * settings but the image's and the chart's.
 */
final class OpenChapter {

    private static final int WATCHES = 10_000;
    private static final int PER_SECOND = 500;
    private static final int IDLE_SECONDS = 10;
    private static final int SECONDS = WATCHES / PER_SECOND + IDLE_SECONDS;
    private static final int WARM_UP = 1_000;

    private static final String WATCH =
            "/api/v1/configmaps?watch=1&timeoutSeconds=3600&resourceVersion=";

    /** Until the servers have ended all watches. */
    private static final Duration SETTLING = Duration.ofSeconds(2);

    private final LoadEnvironment loadEnvironment;
    private final int rounds;
    private final List<ResultRow> rows;

    OpenChapter(LoadEnvironment loadEnvironment, int rounds, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rounds = rounds;
        this.rows = rows;
    }

    /**
     * What was used while watches were opened.
     *
     * @param shares of a core in each second, in percent, of the API server, etcd, and kubemirror
     * @param disconnected watches that were closed
     */
    private record Opening(List<List<Double>> shares, long disconnected) {

        static final int API = 0;
        static final int ETCD = 1;
        static final int MIRROR = 2;

        /** The processor time of a process, in seconds. */
        double cpu(int process) {
            return shares.get(process).stream().mapToDouble(each -> each / 100).sum();
        }

        double controlPlane() {
            return cpu(API) + cpu(ETCD);
        }

        double all() {
            return controlPlane() + cpu(MIRROR);
        }
    }

    /** Measures both sides; returns the shares of a core by the name of a series. */
    Map<String, List<Double>> measure() {
        List<Opening> direct = new ArrayList<>();
        List<Opening> mirrored = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            direct.add(open(loadEnvironment.api()));
            try (Sidecar sidecar = loadEnvironment.defaultSidecar("configmaps")) {
                warmUp(sidecar.side());
                mirrored.add(open(sidecar.side()));
            }
        }
        row(direct, mirrored);
        Map<String, List<Double>> series = new LinkedHashMap<>();
        series.put("API server, clients at it", shares(direct, Opening.API));
        series.put("etcd, clients at API server", shares(direct, Opening.ETCD));
        series.put("API server, clients at kubemirror", shares(mirrored, Opening.API));
        series.put("etcd, clients at kubemirror", shares(mirrored, Opening.ETCD));
        series.put("kubemirror", shares(mirrored, Opening.MIRROR));
        return series;
    }

    /** A JVM that has just started compiles. */
    private void warmUp(MeasuredServer side) {
        String revision = loadEnvironment.revision();
        try (WatchReceivers watches = new WatchReceivers(side, new DeliveryTimes(1))) {
            for (int i = 0; i < WARM_UP; i++) {
                watches.open(WATCH + revision, FanOut.JSON);
            }
            var _ = watches.awaitAnswers();
        }
        Pacer.of(SETTLING);
    }

    private Opening open(MeasuredServer side) {
        String revision = loadEnvironment.revision();
        List<List<ProcessUsage>> usages = new ArrayList<>();
        try (WatchReceivers watches = new WatchReceivers(side, new DeliveryTimes(1))) {
            long begun = System.nanoTime();
            usages.add(usages(side));
            for (int second = 0; second < SECONDS; second++) {
                long start = begun + Duration.ofSeconds(second).toNanos();
                if (second < WATCHES / PER_SECOND) {
                    open(watches, WATCH + revision, start);
                }
                Pacer.until(start + Duration.ofSeconds(1).toNanos());
                usages.add(usages(side));
            }
            long closed = watches.awaitAnswers().disconnected();
            Opening opening = new Opening(shares(usages), closed);
            System.out.println(side.name() + ": " + opening);
            return opening;
        } finally {
            Pacer.of(SETTLING);
        }
    }

    private static void open(WatchReceivers watches, String target, long start) {
        for (int i = 0; i < PER_SECOND; i++) {
            Pacer.until(start + i * 1_000_000_000L / PER_SECOND);
            watches.open(target, FanOut.JSON);
        }
    }

    private List<ProcessUsage> usages(MeasuredServer side) {
        MeasuredServer api = loadEnvironment.api();
        return List.of(
                api.usage(),
                loadEnvironment.etcd().usage(),
                side.equals(api) ? ProcessUsage.NOTHING : side.usage());
    }

    /** What each process has used between one look and the next, a second later. */
    private static List<List<Double>> shares(List<List<ProcessUsage>> usages) {
        return IntStream.rangeClosed(Opening.API, Opening.MIRROR)
                .mapToObj(
                        process ->
                                IntStream.range(1, usages.size())
                                        .mapToObj(
                                                i ->
                                                        share(
                                                                usages.get(i).get(process),
                                                                usages.get(i - 1).get(process)))
                                        .toList())
                .toList();
    }

    private static double share(ProcessUsage now, ProcessUsage before) {
        return 100 * now.cpuSince(before).toNanos() / 1e9;
    }

    /** The medians of the rounds, by second. */
    private static List<Double> shares(List<Opening> openings, int process) {
        return IntStream.range(0, SECONDS)
                .mapToObj(i -> Medians.of(openings, each -> each.shares().get(process).get(i)))
                .toList();
    }

    private void row(List<Opening> direct, List<Opening> mirrored) {
        rows.add(
                new ResultRow(
                        "%,d watches of config maps opened, %d each second, and %d s after that: CPU of API server + etcd (+ kubemirror)"
                                .formatted(WATCHES, PER_SECOND, IDLE_SECONDS),
                        "API server and etcd at most 1/4, no watch closed",
                        "%.1f + %.1f (+ %.1f) s"
                                .formatted(
                                        Medians.of(mirrored, each -> each.cpu(Opening.API)),
                                        Medians.of(mirrored, each -> each.cpu(Opening.ETCD)),
                                        Medians.of(mirrored, each -> each.cpu(Opening.MIRROR))),
                        "%.1f + %.1f s"
                                .formatted(
                                        Medians.of(direct, each -> each.cpu(Opening.API)),
                                        Medians.of(direct, each -> each.cpu(Opening.ETCD))),
                        "%.2f"
                                .formatted(
                                        Medians.of(mirrored, Opening::all)
                                                / Medians.of(direct, Opening::all)),
                        Judged.atMost(0.25, Judged.ratios(mirrored, direct, Opening::controlPlane))
                                .and(Judged.holds(mirrored, each -> each.disconnected() == 0))
                                .and(Judged.holds(direct, each -> each.disconnected() == 0))));
    }
}
