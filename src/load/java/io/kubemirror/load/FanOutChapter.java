package io.kubemirror.load;

import module java.base;

/** How events reach many watches. */
final class FanOutChapter {

    private static final int EVENTS = 40;
    private static final int PER_SECOND = 200;
    private static final int MANY_PER_SECOND = 500;
    private static final int NAMES = 1_000;
    private static final Duration WARM_UP = Duration.ofSeconds(10);
    private static final int WARM_UPS = 5;

    /** So few in a second that each finds the watches idle, and in no cache. */
    private static final int SINGLES = 4;

    /** Of 100 such events. */
    private static final Duration SINGLES_TIME = Duration.ofSeconds(25);

    private static final String LOOP =
            "… the same frames to as many sockets by a loop of writes in a process of its own,"
                    + " which does nothing else";

    private static final List<String> LARGE = List.of("@" + ImageContents.NODE, "-Xmx512m");

    private final LoadEnvironment loadEnvironment;
    private final int rounds;
    private final List<ResultRow> rows;

    FanOutChapter(LoadEnvironment loadEnvironment, int rounds, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rounds = rounds;
        this.rows = rows;
    }

    /**
     * A burst to all watches, by their number; the last number fills the table, and the others only
     * the plots, by one round.
     */
    Map<Integer, Both> bursts(List<Integer> numbers) {
        Map<Integer, Both> byNumber = new TreeMap<>();
        FanOutChapter once = new FanOutChapter(loadEnvironment, 1, rows);
        for (int number : numbers.subList(0, numbers.size() - 1)) {
            byNumber.put(number, once.burst(number));
        }
        int most = numbers.getLast();
        Both ofMost = burst(most);
        byNumber.put(most, ofMost);
        burst(most, ofMost);
        idle(most);
        return byNumber;
    }

    private Both burst(int watches) {
        FanOut burst = FanOut.burst(watches, EVENTS);
        return both(Collections.nCopies(WARM_UPS, burst), burst);
    }

    private void burst(int watches, Both both) {
        double cpu = both.mirror(FanOutResult::cpuPerDelivery);
        double apiCpu = both.api(FanOutResult::cpuPerDelivery);
        rows.add(
                new ResultRow(
                        "%,d watches, burst of %d events of 1 KB: CPU per delivery"
                                .formatted(watches, EVENTS),
                        "at most 1/4 and 2 µs",
                        "%.2f µs".formatted(cpu),
                        "%.2f µs".formatted(apiCpu),
                        "%.2f".formatted(cpu / apiCpu),
                        Judged.atMost(0.25, both.ratios(FanOutResult::cpuPerDelivery))
                                .and(
                                        Judged.atMost(
                                                2,
                                                both.ofMirror(),
                                                FanOutResult::cpuPerDelivery))));
        double rate = both.mirror(FanOutResult::perSecond);
        double apiRate = both.api(FanOutResult::perSecond);
        rows.add(
                new ResultRow(
                        "… deliveries per second",
                        "at least 3 times",
                        "%,.0f".formatted(rate),
                        "%,.0f".formatted(apiRate),
                        "%.1f".formatted(rate / apiRate),
                        Judged.atLeast(3, both.ratios(FanOutResult::perSecond))));
        double lost = both.mirror(FanOutResult::lost) + both.mirror(FanOutResult::repeats);
        double closed = both.mirror(FanOutResult::disconnected);
        rows.add(
                new ResultRow(
                        "… lost or repeated events, closed watches",
                        "none",
                        "%.0f, %.0f".formatted(lost, closed),
                        "%.0f, %.0f"
                                .formatted(
                                        both.api(FanOutResult::lost),
                                        both.api(FanOutResult::disconnected)),
                        "",
                        Judged.holds(
                                both.ofMirror(),
                                r -> r.lost() == 0 && r.repeats() == 0 && r.disconnected() == 0)));
    }

    /**
     * The memory of watches at rest, of new processes, whose heaps have no room of earlier ones.
     */
    private void idle(int watches) {
        List<Double> ofMirror = new ArrayList<>();
        List<Double> ofApi = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            try (LoadEnvironment fresh = loadEnvironment.fresh();
                    Sidecar sidecar = fresh.sidecar(LARGE, "configmaps")) {
                ofApi.add(FanOut.idle(watches, fresh.api(), fresh.revision()));
                ofMirror.add(FanOut.idle(watches, sidecar.side(), fresh.revision()));
            }
        }
        double memory = Medians.of(ofMirror, Double::doubleValue);
        double api = Medians.of(ofApi, Double::doubleValue);
        rows.add(
                new ResultRow(
                        "resident memory for each idle watch beyond the first %d"
                                .formatted(watches / 10),
                        "at most 10 KB",
                        "%.1f KB".formatted(memory),
                        "%.1f KB".formatted(api),
                        "%.2f".formatted(memory / api),
                        Judged.atMost(10, ofMirror)));
    }

    /** Single events to all watches, and the same by a loop of writes. */
    void single(int watches) {
        List<FanOutResult> results = new ArrayList<>();
        try (Sidecar sidecar = loadEnvironment.sidecar(LARGE, "configmaps")) {
            for (int i = 0; i < WARM_UPS; i++) {
                measure(FanOut.burst(watches, EVENTS), sidecar.side());
            }
            measure(FanOut.steady(watches, 0, SINGLES, WARM_UP), sidecar.side());
            for (int i = 0; i < rounds; i++) {
                results.add(
                        measure(FanOut.steady(watches, 0, SINGLES, SINGLES_TIME), sidecar.side()));
            }
        }
        List<FanOutResult> least = written(new WriteLoop(), watches);
        double last = Medians.of(results, r -> r.last(50));
        rows.add(
                new ResultRow(
                        "one event to %,d watches, 100 times: last receipt after the write's answer"
                                .formatted(watches),
                        "p50 at most 80 ms",
                        single(results),
                        "",
                        "%.1f times the loop".formatted(last / Medians.of(least, r -> r.last(50))),
                        Judged.atMost(80, results, r -> r.last(50)),
                        floor(least, results)));
        rows.add(ResultRow.reference(LOOP, single(least)));
    }

    /** Single events by a loop of writes, which is closed. */
    private List<FanOutResult> written(WriteLoop loop, int watches) {
        List<FanOutResult> least = new ArrayList<>();
        try (loop) {
            measure(FanOut.written(loop, watches, SINGLES, WARM_UP), loop.side());
            for (int i = 0; i < rounds; i++) {
                least.add(
                        measure(FanOut.written(loop, watches, SINGLES, SINGLES_TIME), loop.side()));
            }
        }
        return least;
    }

    /**
     * What stands in the way: the loop and the client that measures, and those parts of what was
     * measured that are not in the code of kubemirror.
     */
    private static String floor(List<FanOutResult> least, List<FanOutResult> results) {
        return "a loop of writes takes %s; its last receipt is at p50 %.0f ms. Of what was measured, the kernel takes %s"
                .formatted(
                        shares(least, FanOutResult::cpuPerDelivery),
                        Medians.of(least, r -> r.last(50)),
                        shares(results, FanOutResult::kernelPerDelivery));
    }

    /** Some of what each delivery takes, and the client beside it, on all processors. */
    private static String shares(List<FanOutResult> results, ToDoubleFunction<FanOutResult> part) {
        double delivery = Medians.of(results, part);
        double client = Medians.of(results, FanOutResult::clientPerDelivery);
        int watches = results.getFirst().of().watches();
        int cores = Runtime.getRuntime().availableProcessors();
        return "%.1f µs for a delivery and the client that measures %.1f µs, %.0f ms for %,d on %d cores"
                .formatted(
                        delivery,
                        client,
                        (delivery + client) * watches / 1e3 / cores,
                        watches,
                        cores);
    }

    private static String single(List<FanOutResult> results) {
        return "p50 %.0f ms, p99 %.0f ms; CPU of a delivery %.1f µs, %.1f of it in the kernel, of its receipt %.1f µs"
                .formatted(
                        Medians.of(results, r -> r.last(50)),
                        Medians.of(results, r -> r.last(99)),
                        Medians.of(results, FanOutResult::cpuPerDelivery),
                        Medians.of(results, FanOutResult::kernelPerDelivery),
                        Medians.of(results, FanOutResult::clientPerDelivery));
    }

    /** Events at a rate. */
    Both steady(Duration time) {
        Both both =
                both(
                        List.of(FanOut.steady(NAMES, 0, PER_SECOND, WARM_UP)),
                        FanOut.steady(NAMES, 0, PER_SECOND, time));
        double median = both.mirror(r -> r.percentile(50));
        double p99 = both.mirror(r -> r.percentile(99));
        double api = both.api(r -> r.percentile(99));
        rows.add(
                new ResultRow(
                        "1,000 watches, 200 events/s for %d s: from write to receipt"
                                .formatted(time.toSeconds()),
                        "p50 at most 4 ms, p99 at most 10 ms and 1/2",
                        "p50 %.1f ms, p99 %.1f ms".formatted(median, p99),
                        "p50 %.1f ms, p99 %.1f ms".formatted(both.api(r -> r.percentile(50)), api),
                        "%.2f".formatted(p99 / api),
                        Judged.atMost(4, both.ofMirror(), r -> r.percentile(50))
                                .and(Judged.atMost(10, both.ofMirror(), r -> r.percentile(99)))
                                .and(Judged.atMost(0.5, both.ratios(r -> r.percentile(99)))),
                        "of each second the client that measures takes %.2f s of a core and kubemirror %.2f s; the API server and etcd write on the others of %d cores"
                                .formatted(
                                        PER_SECOND
                                                * NAMES
                                                * both.mirror(FanOutResult::clientPerDelivery)
                                                / 1e6,
                                        PER_SECOND
                                                * NAMES
                                                * both.mirror(FanOutResult::cpuPerDelivery)
                                                / 1e6,
                                        Runtime.getRuntime().availableProcessors())));
        return both;
    }

    /** Watches of one object each. */
    void selected(Duration time) {
        List<FanOutResult> few = new ArrayList<>();
        List<FanOutResult> many = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            try (Sidecar sidecar = loadEnvironment.sidecar(LARGE, "configmaps")) {
                measure(FanOut.selected(10, NAMES, MANY_PER_SECOND, WARM_UP), sidecar.side());
                few.add(measure(FanOut.selected(10, NAMES, MANY_PER_SECOND, time), sidecar.side()));
                many.add(
                        measure(
                                FanOut.selected(NAMES, NAMES, MANY_PER_SECOND, time),
                                sidecar.side()));
            }
        }
        double ratio =
                Medians.of(many, r -> r.cpu().toMillis())
                        / Medians.of(few, r -> r.cpu().toMillis());
        rows.add(
                new ResultRow(
                        "1,000 watches of one name each, 500 events/s: CPU over that of 10 such",
                        "at most 1.5",
                        "%.0f ms over %.0f ms"
                                .formatted(
                                        Medians.of(many, r -> r.cpu().toMillis()),
                                        Medians.of(few, r -> r.cpu().toMillis())),
                        "",
                        "%.2f".formatted(ratio),
                        Judged.atMost(1.5, Judged.ratios(many, few, r -> r.cpu().toMillis()))));
    }

    /** Ten watches of a tenth each, and one of everything. */
    void sharded(Duration time) {
        List<FanOutResult> one = new ArrayList<>();
        List<FanOutResult> ten = new ArrayList<>();
        try (Sidecar sidecar = loadEnvironment.sidecar(LARGE, "configmaps")) {
            measure(FanOut.sharded(10, MANY_PER_SECOND, WARM_UP), sidecar.side());
            for (int i = 0; i < rounds; i++) {
                one.add(measure(FanOut.sharded(1, MANY_PER_SECOND, time), sidecar.side()));
                ten.add(measure(FanOut.sharded(10, MANY_PER_SECOND, time), sidecar.side()));
            }
        }
        double whole = Medians.of(one, r -> r.cpu().toMillis());
        double shards = Medians.of(ten, r -> r.cpu().toMillis());
        rows.add(
                new ResultRow(
                        "10 watches of a tenth of 1,000 objects each, 500 events/s: CPU over that"
                                + " of one watch of everything",
                        "at most 1.1",
                        "%.0f ms over %.0f ms".formatted(shards, whole),
                        "",
                        "%.2f".formatted(shards / whole),
                        Judged.atMost(1.1, Judged.ratios(ten, one, r -> r.cpu().toMillis()))));
    }

    /** Clients that take nothing. */
    void stalled(Duration time) {
        List<FanOutResult> without = new ArrayList<>();
        List<FanOutResult> with = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            try (Sidecar sidecar = loadEnvironment.sidecar(LARGE, "configmaps")) {
                measure(FanOut.steady(NAMES, 0, PER_SECOND, WARM_UP), sidecar.side());
                without.add(measure(FanOut.steady(NAMES, 0, PER_SECOND, time), sidecar.side()));
                with.add(measure(FanOut.steady(NAMES, 100, PER_SECOND, time), sidecar.side()));
            }
        }
        double ratio =
                Medians.of(with, r -> r.percentile(99))
                        / Medians.of(without, r -> r.percentile(99));
        rows.add(
                new ResultRow(
                        "100 stalled clients among 1,000: p99 of the others, growth of memory",
                        "at most 1.2, flat",
                        "p99 %.1f ms over %.1f ms, %+.0f MB over %+.0f MB"
                                .formatted(
                                        Medians.of(with, r -> r.percentile(99)),
                                        Medians.of(without, r -> r.percentile(99)),
                                        Medians.of(with, FanOutChapter::growth),
                                        Medians.of(without, FanOutChapter::growth)),
                        "",
                        "%.2f".formatted(ratio),
                        Judged.atMost(1.2, Judged.ratios(with, without, r -> r.percentile(99)))));
    }

    /** In megabytes; of the window, too, which fills with what is written. */
    private static double growth(FanOutResult result) {
        return (result.after().resident() - result.open().resident()) / 1048576.0;
    }

    private Both both(List<FanOut> warmUps, FanOut fanOut) {
        Both both = new Both(new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < rounds; i++) {
            both.ofApi().add(measure(fanOut, loadEnvironment.api()));
        }
        for (int i = 0; i < rounds; i++) {
            try (Sidecar sidecar = loadEnvironment.sidecar(LARGE, "configmaps")) {
                // A JVM that has just started compiles.
                warmUps.forEach(warmUp -> measure(warmUp, sidecar.side()));
                both.ofMirror().add(measure(fanOut, sidecar.side()));
            }
        }
        return both;
    }

    private FanOutResult measure(FanOut fanOut, MeasuredServer side) {
        FanOutResult result =
                fanOut.measure(side, loadEnvironment.api(), loadEnvironment.revision());
        System.out.println(side.name() + ", " + fanOut.watches() + " watches: " + result);
        return result;
    }

    /**
     * The rounds of both sides.
     *
     * @param ofMirror of kubemirror
     * @param ofApi of the API server
     */
    record Both(List<FanOutResult> ofMirror, List<FanOutResult> ofApi) {

        double mirror(ToDoubleFunction<FanOutResult> figure) {
            return Medians.of(ofMirror, figure);
        }

        double api(ToDoubleFunction<FanOutResult> figure) {
            return Medians.of(ofApi, figure);
        }

        List<Double> ratios(ToDoubleFunction<FanOutResult> figure) {
            return Judged.ratios(ofMirror, ofApi, figure);
        }
    }
}
