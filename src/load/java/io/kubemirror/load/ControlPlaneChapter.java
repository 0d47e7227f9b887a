package io.kubemirror.load;

import module java.base;

/**
 * What the API server and etcd spend while clients watch config maps and one is created, with the
 * clients at the API server and at a kubemirror that has no settings but the image's and the
 * chart's.
 *
 * <p>One creation takes less time of a processor than Linux shows. So config maps are created one
 * after another, each when all clients have the one before, and the time that the same processes
 * and open watches take without creations is subtracted.
 */
final class ControlPlaneChapter {

    /** The numbers of clients. */
    static final List<Integer> CLIENTS = List.of(0, 100, 1_000, 10_000);

    private static final int WARM_UP = 1_000;
    private static final String NAMESPACE = "created";
    private static final String LIST = "/api/v1/namespaces/" + NAMESPACE + "/configmaps?limit=1";
    private static final String WATCH =
            "/api/v1/configmaps?watch=1&timeoutSeconds=3600&resourceVersion=";

    /** From one creation to the next, if its deliveries do not take longer. */
    private static final Duration INTERVAL = Duration.ofMillis(50);

    /** Until the servers have opened or ended all watches. */
    private static final Duration SETTLING = Duration.ofSeconds(1);

    private final LoadEnvironment loadEnvironment;
    private final int rounds;
    private final List<ResultRow> rows;

    ControlPlaneChapter(LoadEnvironment loadEnvironment, int rounds, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rounds = rounds;
        this.rows = rows;
    }

    /**
     * The processor time of one creation, in milliseconds.
     *
     * @param apiServer of the API server
     * @param etcd of etcd
     * @param mirror of kubemirror, 0 if the clients are at the API server
     * @param missing deliveries that were lost, and watches that were closed
     */
    record CreationCost(double apiServer, double etcd, double mirror, long missing) {

        double controlPlane() {
            return apiServer + etcd;
        }

        double all() {
            return controlPlane() + mirror;
        }
    }

    /**
     * The rounds with one number of clients.
     *
     * @param mirrored with the clients at kubemirror
     * @param direct with the clients at the API server
     */
    record BothCosts(List<CreationCost> mirrored, List<CreationCost> direct) {

        double mirrored(ToDoubleFunction<CreationCost> figure) {
            return Medians.of(mirrored, figure);
        }

        double direct(ToDoubleFunction<CreationCost> figure) {
            return Medians.of(direct, figure);
        }
    }

    /**
     * Measures both sides, by the number of clients.
     *
     * @param creations how many config maps are created for each figure
     */
    Map<Integer, BothCosts> measure(int creations) {
        Map<Integer, BothCosts> byClients = new TreeMap<>();
        for (int clients : CLIENTS) {
            byClients.put(clients, new BothCosts(new ArrayList<>(), new ArrayList<>()));
        }
        loadEnvironment.loadFixtures().configMaps(loadEnvironment.api(), NAMESPACE, 0);
        for (int i = 0; i < rounds; i++) {
            byClients.forEach(
                    (clients, both) ->
                            both.direct().add(cost(loadEnvironment.api(), clients, creations)));
            try (Sidecar sidecar = loadEnvironment.defaultSidecar("configmaps")) {
                // A JVM that has just started compiles.
                cost(sidecar.side(), WARM_UP, creations);
                byClients.forEach(
                        (clients, both) ->
                                both.mirrored().add(cost(sidecar.side(), clients, creations)));
            }
        }
        byClients.forEach(
                (clients, both) -> row(clients, both, Objects.requireNonNull(byClients.get(0))));
        return byClients;
    }

    private CreationCost cost(MeasuredServer side, int clients, int creations) {
        DeliveryTimes deliveryTimes = new DeliveryTimes(creations);
        try (ConfigMapWriter writer =
                new ConfigMapWriter(loadEnvironment.api(), NAMESPACE, i -> "created-" + i)) {
            CreationCost cost;
            try (WatchReceivers watches = new WatchReceivers(side, deliveryTimes)) {
                cost = cost(side, clients, creations, watches, writer, deliveryTimes);
            }
            Pacer.of(SETTLING);
            writer.deleteAll();
            Pacer.of(SETTLING);
            System.out.println(side.name() + ", " + clients + " clients: " + cost);
            return cost;
        }
    }

    private CreationCost cost(
            MeasuredServer side,
            int clients,
            int creations,
            WatchReceivers watches,
            ConfigMapWriter writer,
            DeliveryTimes deliveryTimes) {
        String revision = loadEnvironment.revision();
        for (int i = 0; i < clients; i++) {
            watches.open(WATCH + revision, FanOut.JSON);
        }
        watches.awaitAnswers();
        // One client more has to be served, too.
        var _ = ListMeasurement.read(side, LIST, 1);
        Pacer.of(SETTLING);
        Usages begun = Usages.of(loadEnvironment, side);
        Pacer.of(INTERVAL.multipliedBy(creations));
        Usages idle = Usages.of(loadEnvironment, side);
        for (int i = 0; i < creations; i++) {
            long next = System.nanoTime() + INTERVAL.toNanos();
            writer.create(i, deliveryTimes);
            watches.awaitDeliveries((i + 1L) * clients);
            Pacer.until(next);
        }
        Usages end = Usages.of(loadEnvironment, side);
        long lost = (long) creations * clients - deliveryTimes.deliveries();
        return end.since(idle, begun, creations, lost + watches.disconnected());
    }

    /** What the processes have used until a time of {@link System#nanoTime}. */
    private record Usages(long nanos, ProcessUsage api, ProcessUsage etcd, ProcessUsage side) {

        static Usages of(LoadEnvironment loadEnvironment, MeasuredServer side) {
            return new Usages(
                    System.nanoTime(),
                    loadEnvironment.api().usage(),
                    loadEnvironment.etcd().usage(),
                    side.equals(loadEnvironment.api()) ? ProcessUsage.NOTHING : side.usage());
        }

        /** The cost of each creation since a time before which nothing was created for a while. */
        CreationCost since(Usages idle, Usages begun, int creations, long missing) {
            double factor = (double) (nanos - idle.nanos) / (idle.nanos - begun.nanos);
            return new CreationCost(
                    cost(api, idle.api, begun.api, factor) / creations,
                    cost(etcd, idle.etcd, begun.etcd, factor) / creations,
                    cost(side, idle.side, begun.side, factor) / creations,
                    missing);
        }

        private static double cost(
                ProcessUsage end, ProcessUsage idle, ProcessUsage begun, double factor) {
            double without = idle.cpuSince(begun).toNanos() * factor;
            return Math.max(0, end.cpuSince(idle).toNanos() - without) / 1e6;
        }
    }

    private void row(int clients, BothCosts both, BothCosts withoutClients) {
        rows.add(
                new ResultRow(
                        "%,d clients watch config maps, one is created: CPU of API server + etcd"
                                        .formatted(clients)
                                + " (+ kubemirror)",
                        "API server and etcd at most 1.5 times as without clients, nothing lost",
                        "%.1f + %.1f (+ %.1f) ms"
                                .formatted(
                                        both.mirrored(CreationCost::apiServer),
                                        both.mirrored(CreationCost::etcd),
                                        both.mirrored(CreationCost::mirror)),
                        "%.1f + %.1f ms"
                                .formatted(
                                        both.direct(CreationCost::apiServer),
                                        both.direct(CreationCost::etcd)),
                        "%.2f"
                                .formatted(
                                        both.mirrored(CreationCost::all)
                                                / both.direct(CreationCost::all)),
                        Judged.atMost(
                                        1.5,
                                        Judged.ratios(
                                                both.mirrored(),
                                                withoutClients.mirrored(),
                                                CreationCost::controlPlane))
                                .and(Judged.holds(both.mirrored(), cost -> cost.missing() == 0))
                                .and(Judged.holds(both.direct(), cost -> cost.missing() == 0))));
    }
}
