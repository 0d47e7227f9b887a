package io.kubemirror.load;

import module java.base;

/**
 * A measurement of one server: opens watches, writes events, and reports the cost.
 *
 * @param watches how many are read
 * @param stalled how many more are never read
 * @param accept what they ask for
 * @param target the path and query of each
 * @param names the object of each event
 * @param load writes the events
 */
record FanOut(
        int watches,
        int stalled,
        String accept,
        IntFunction<String> target,
        IntFunction<String> names,
        Load load) {

    static final String NAMESPACE = "load";
    static final String JSON = "application/json";

    /** Until what only the opening of the watches needed has been used up or given back. */
    private static final Duration REST = Duration.ofSeconds(15);

    /** Idle watches are opened at a rate, since requests in progress take memory of their own. */
    private static final int PER_TICK = 25;

    private static final Duration TICK = Duration.ofMillis(10);

    /** A watch begins with the present state, which is not measured. */
    private static final String PATH =
            "/api/v1/namespaces/"
                    + NAMESPACE
                    + "/configmaps?watch=1&timeoutSeconds=3600&resourceVersion=";

    /**
     * Events that are written.
     *
     * @param events how many
     * @param perDelivery how many watches each of them concerns, of those that are read
     * @param write writes them
     */
    record Load(int events, int perDelivery, Consumer<Writing> write) {}

    /**
     * What writes events.
     *
     * @param writer to the API server
     * @param deliveryTimes record each event
     */
    record Writing(ConfigMapWriter writer, DeliveryTimes deliveryTimes) {}

    /** All events as fast as the server takes them, to everybody. */
    static FanOut burst(int watches, int events) {
        return everything(
                watches,
                0,
                new Load(events, watches, w -> w.writer().burst(0, events, w.deliveryTimes())));
    }

    /** Events at a rate, to everybody. */
    static FanOut steady(int watches, int stalled, int perSecond, Duration time) {
        int events = (int) (perSecond * time.toSeconds());
        return everything(
                watches,
                stalled,
                new Load(
                        events,
                        watches,
                        w -> {
                            var _ = w.writer().steadily(perSecond, time, w.deliveryTimes());
                        }));
    }

    /** Events at a rate from a loop of writes. */
    static FanOut written(WriteLoop loop, int watches, int perSecond, Duration time) {
        int events = (int) (perSecond * time.toSeconds());
        return everything(
                watches,
                0,
                new Load(events, watches, w -> loop.steadily(perSecond, time, w.deliveryTimes())));
    }

    private static FanOut everything(int watches, int stalled, Load load) {
        return new FanOut(watches, stalled, JSON, _ -> "", event -> "n" + event % 40, load);
    }

    /** Events at a rate to 1,000 objects, of which each watch selects one by its name. */
    static FanOut selected(int watches, int objects, int perSecond, Duration time) {
        int events = (int) (perSecond * time.toSeconds());
        return new FanOut(
                watches,
                0,
                JSON,
                i -> "&fieldSelector=metadata.name%3Dn" + i,
                event -> "n" + event % objects,
                new Load(
                        events * watches / objects,
                        1,
                        w -> {
                            var _ = w.writer().steadily(perSecond, time, w.deliveryTimes());
                        }));
    }

    /**
     * Events at a rate to 1,000 objects, of which each watch selects the same part by the hash of
     * their UID.
     */
    static FanOut sharded(int watches, int perSecond, Duration time) {
        return new FanOut(
                watches,
                0,
                JSON,
                i -> watches == 1 ? "" : "&shardSelector=" + shard(i, watches),
                event -> "n" + event % 1_000,
                new Load(
                        (int) (perSecond * time.toSeconds()),
                        1,
                        w -> {
                            var _ = w.writer().steadily(perSecond, time, w.deliveryTimes());
                        }));
    }

    private static String shard(int number, int of) {
        long part = Long.divideUnsigned(-1, of);
        String end =
                number == of - 1 ? "1%016x".formatted(0) : "%016x".formatted(part * (number + 1));
        return "shardRange(object.metadata.uid,%%270x%016x%%27,%%270x%s%%27)"
                .formatted(part * number, end);
    }

    /**
     * Measures a side.
     *
     * @param source the API server, which is written to
     * @param revision where the watches begin
     */
    FanOutResult measure(MeasuredServer side, MeasuredServer source, String revision) {
        DeliveryTimes deliveryTimes = new DeliveryTimes(1 << 20);
        try (WatchReceivers watchers = new WatchReceivers(side, deliveryTimes);
                ConfigMapWriter writer = new ConfigMapWriter(source, NAMESPACE, names)) {
            for (int i = 0; i < watches; i++) {
                watchers.open(PATH + revision + target.apply(i), accept);
            }
            for (int i = 0; i < stalled; i++) {
                watchers.openStalled(PATH + revision, accept);
            }
            watchers.awaitAnswers();
            Pacer.of(Duration.ofSeconds(2));
            ProcessUsage open = side.usage();
            Duration client = watchers.cpu();
            long begun = System.nanoTime();
            load.write().accept(new Writing(writer, deliveryTimes));
            watchers.awaitDeliveries((long) load.events() * load.perDelivery());
            ProcessUsage after = side.usage();
            return new FanOutResult(
                    this,
                    open,
                    after,
                    watchers.cpu().minus(client),
                    deliveryTimes,
                    begun,
                    watchers.disconnected(),
                    watchers.repeats());
        }
    }

    /**
     * Measures the resident memory of an idle watch, in kilobytes. The first tenth does not count:
     * a process that has just started compiles code for it.
     */
    static double idle(int watches, MeasuredServer side, String revision) {
        int few = watches / 10;
        try (WatchReceivers watchers = new WatchReceivers(side, new DeliveryTimes(0))) {
            long before = resident(few, watchers, side, revision);
            long after = resident(watches - few, watchers, side, revision);
            return (after - before) / 1024.0 / (watches - few);
        }
    }

    /** Opens so many further watches, and returns the resident memory when all are at rest. */
    private static long resident(
            int watches, WatchReceivers watchers, MeasuredServer side, String revision) {
        for (int i = 0; i < watches; i++) {
            watchers.open(PATH + revision, JSON);
            if (i % PER_TICK == 0) {
                Pacer.of(TICK);
            }
        }
        watchers.awaitAnswers();
        Pacer.of(REST);
        return side.usage().resident();
    }
}
