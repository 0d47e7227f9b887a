package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.mirror.EventLog.LogView;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.mirror.Window.WindowCounts.WindowEvent;
import io.kubemirror.model.Names;
import io.kubemirror.reflector.ReflectorCounts;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

/**
 * Publishes the metrics of one mirror and its reflector, tagged with {@code resource}, {@code
 * namespace}, and {@code selector}. The last two are empty if the mirror is not restricted.
 *
 * <p>Meters read the mirror and the counters of the reflector when they are scraped. Only durations
 * are recorded as they occur. Meters refer to this binder weakly, so the caller must keep it.
 */
public final class MirrorMetrics {

    /**
     * A small collection takes a millisecond or two, 100,000 objects take seconds, and millions
     * behind a slow link half an hour: six decades, in steps of four to six, which tell a list that
     * became five times slower. The bounds up to a minute are among those of requests, so that a
     * list can be compared with those that kubemirror serves.
     */
    private static final Duration[] LISTS =
            millis(1, 5, 25, 100, 500, 2_500, 10_000, 60_000, 300_000, 1_800_000);

    private static final Duration[] LAG = millis(2_000, 5_000, 10_000, 30_000, 60_000, 300_000);

    private final Mirror mirror;
    private final ReflectorCounts counts;
    private final InstantSource clock;
    private final MeterRegistry registry;
    private final Tags scope;

    /** Empty after the removal. */
    private final Set<Meter> meters = new HashSet<>();

    /**
     * Registers the metrics.
     *
     * @param mirror the mirror
     * @param counts the counters of its reflector
     * @param clock measures the age of the last contact
     */
    MirrorMetrics(
            Mirror mirror, ReflectorCounts counts, InstantSource clock, MeterRegistry registry) {
        this.mirror = mirror;
        this.counts = counts;
        this.clock = clock;
        this.registry = registry;
        this.scope = Tags.of(mirror.scope().tags());
        bindMirror();
        bindHistory();
        bindReflector();
    }

    /**
     * Publishes the metrics of the present mirrors in one registry. A mirror that has been removed
     * leaves no series. One that takes the place of another has its series, which go on.
     *
     * @param mirrors the set that the result has to listen to
     * @param counts returns the counters of a mirror's reflector
     */
    public static MirrorSet.Listener ofAll(
            MirrorSet mirrors,
            Function<Mirror, ReflectorCounts> counts,
            InstantSource clock,
            MeterRegistry registry) {
        // By the name of the mirror. The set calls its listeners once at a time.
        Map<String, MirrorMetrics> present = new HashMap<>();
        return new MirrorSet.Listener() {
            @Override
            public void added(Mirror mirror) {
                drop(mirror);
                ReflectorCounts own = counts.apply(mirror);
                present.put(name(mirror), new MirrorMetrics(mirror, own, clock, registry));
            }

            @Override
            public void removed(Mirror mirror) {
                if (!mirrors.has(mirror.scope())) {
                    drop(mirror);
                }
            }

            private void drop(Mirror mirror) {
                Optional.ofNullable(present.remove(name(mirror))).ifPresent(MirrorMetrics::remove);
            }
        };
    }

    private static String name(Mirror mirror) {
        return mirror.scope().toString();
    }

    /** Removes the metrics. */
    synchronized void remove() {
        meters.forEach(registry::remove);
        meters.clear();
    }

    private void bindMirror() {
        gauge("objects", "", "Objects in the mirror", MirrorMetrics::objects);
        gauge("store", "bytes", "Size of the stored objects", one -> one.mirror.bytes());
        String synced = "[KEY] 1 from the first complete synchronization on";
        gauge("synced", "", synced, one -> one.mirror.snapshot().isPresent() ? 1 : 0);
        String age = "[KEY] Time since the last contact with the API server, +Inf for never";
        gauge("upstream.contact.age", "seconds", age, MirrorMetrics::secondsSinceContact);
        for (Phase phase : Phase.values()) {
            ToDoubleFunction<MirrorMetrics> is =
                    one -> one.mirror.upstream().phase() == phase ? 1 : 0;
            meters.add(
                    Gauge.builder("kubemirror.upstream.phase", this, is)
                            .description("1 for the phase of the reflector, 0 for other phases")
                            .tags(scope.and("phase", Names.kebab(phase)))
                            .register(registry));
        }
    }

    private void bindHistory() {
        String changes = "Changes in the history, from which watches can resume";
        gauge("window.changes", "", changes, one -> one.recent().changes());
        String capacity = "Changes that the history has room for at present";
        gauge("window.capacity.changes", "", capacity, one -> one.recent().capacity());
        String bytes = "Memory that only these changes use";
        gauge("window", "bytes", bytes, one -> one.recent().bytes());
        String span = "Time between the oldest and the newest of these changes";
        gauge("window.span", "seconds", span, one -> one.recent().span().toMillis() / 1000.0);
        for (WindowEvent event : WindowEvent.values()) {
            bind(event);
        }
    }

    private void bindReflector() {
        for (Counter counter : Counter.values()) {
            String[] words = words(counter);
            Family family = Family.of(words[0]);
            Tags tags = scope.and(family.tag(), words[1]);
            counter(family.meter(), family.description(), tags, one -> one.counts.get(counter));
        }
        register(TimedSpan.SYNC_LAG);
        counts.listen(this::record);
    }

    /** A strategy that no list has used has no series, which would be fourteen. */
    private synchronized void record(TimedSpan span, Duration duration) {
        if (!meters.isEmpty()) {
            register(span).record(duration);
        }
    }

    /** Returns the timer of a span, always the same. */
    private Timer register(TimedSpan span) {
        Timer timer = timer(span).tags(scope).register(registry);
        meters.add(timer);
        return timer;
    }

    /** Registers a gauge, without a unit if that is empty. */
    private void gauge(
            String meter, String unit, String description, ToDoubleFunction<MirrorMetrics> value) {
        meters.add(
                Gauge.builder("kubemirror." + meter, this, value)
                        .description(description)
                        .baseUnit(unit.isEmpty() ? null : unit)
                        .tags(scope)
                        .register(registry));
    }

    /** An event is named after the direction of a resize, or after the cause of an eviction. */
    private void bind(WindowEvent event) {
        String name = Names.kebab(event);
        boolean eviction = name.startsWith("evicted-");
        counter(
                eviction ? "window.evictions" : "window.resizes",
                eviction
                        ? "Changes that left the history by cause"
                        : "Changes of the capacity of the history",
                scope.and(eviction ? "cause" : "direction", name.replace("evicted-", "")),
                one -> one.recent().counts().get(event));
    }

    private void counter(
            String meter, String description, Tags tags, ToDoubleFunction<MirrorMetrics> value) {
        meters.add(
                FunctionCounter.builder("kubemirror." + meter, this, value)
                        .description(description)
                        .tags(tags)
                        .register(registry));
    }

    private LogView recent() {
        return mirror.view().recent();
    }

    private double objects() {
        return mirror.snapshot().map(Snapshot::size).orElse(0);
    }

    private double secondsSinceContact() {
        Instant contact = mirror.upstream().contact();
        return contact.equals(Instant.EPOCH)
                ? Double.POSITIVE_INFINITY
                : Duration.between(contact, clock.instant()).toMillis() / 1000.0;
    }

    /**
     * Returns a histogram of the reflector: the duration of lists, or the sync lag.
     *
     * <p>The <em>sync lag</em> is the time from a change that the server dates until readers have
     * it. It includes the API server, the network, and interruptions of the watch. The server's
     * times are truncated to seconds, so a lag is up to a second too long, and it includes the
     * difference of the two clocks. The smallest bucket is therefore 2 seconds.
     *
     * <p>Nothing in a watch event tells when the change was made. Creations count in mirrors
     * without selectors; modifications count if their time in {@code managedFields} is later than
     * every time seen before. Rejected: the latest time of any event, because bindings and removals
     * of finalizers do not set it; and the age of objects that enter a selection, where a pod that
     * waited a minute for its node would be a minute of lag.
     */
    private static Timer.Builder timer(TimedSpan span) {
        return switch (span) {
            case WATCH_LIST -> lists("watch-list");
            case LIST -> lists("list-watch");
            case LIST_WATCH_PARALLEL -> lists("list-watch-parallel");
            case SYNC_LAG ->
                    Timer.builder("kubemirror.sync.lag")
                            .description(
                                    "[KEY] Delay from a change that the server dates until clients"
                                            + " can read it")
                            .serviceLevelObjectives(LAG);
        };
    }

    private static Timer.Builder lists(String strategy) {
        return Timer.builder("kubemirror.upstream.list.duration")
                .description("Duration of complete synchronizations")
                .serviceLevelObjectives(LISTS)
                .tag("strategy", strategy);
    }

    private static Duration[] millis(long... values) {
        return LongStream.of(values).mapToObj(Duration::ofMillis).toArray(Duration[]::new);
    }

    /**
     * Returns the name of the series of a counter: that of the meter without the prefix of
     * kubemirror, a dot, and the value of the tag.
     */
    static String series(Counter counter) {
        String[] words = words(counter);
        return Family.of(words[0]).meter() + "." + words[1];
    }

    private static String[] words(Counter counter) {
        return Names.kebab(counter).split("-", 2);
    }

    /**
     * A metric whose series add up. All have the same tag, as Prometheus requires, whose value are
     * the words of the counter after the first.
     */
    private record Family(String meter, String tag, String description) {

        /** Returns the family of the counters that begin with a word. */
        static Family of(String word) {
            return switch (word) {
                case "lists" -> new Family("upstream.lists", "outcome", "Lists by outcome");
                case "watches" ->
                        new Family("upstream.watch.restarts", "reason", "Watches opened again");
                case "events" -> new Family("upstream.events", "type", "Events received");
                case "retries" ->
                        new Family("upstream.retries", "cause", "[KEY] Attempts after a failure");
                case "resyncs" ->
                        new Family("resyncs", "outcome", "[KEY] Synchronizations after the first");
                case "audits" ->
                        new Family("upstream.audits", "outcome", "[KEY] Audits by outcome");
                default -> throw new IllegalArgumentException(word);
            };
        }
    }
}
