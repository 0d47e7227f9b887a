package io.kubemirror.feature.page;

import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNullElse;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingLong;
import static java.util.stream.Collectors.toMap;

import module java.base;

import io.kubemirror.app.health.Diagnosis;
import io.kubemirror.app.health.ProcessDescription;
import io.kubemirror.mirror.Mirror;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * A sample of the current state for the status page, taken without requests to the API server. The
 * page computes rates from the difference of two samples.
 *
 * @param diagnosis what an operator asks first
 * @param requests the requests of clients by verb, in alphabetical order
 * @param lags the delays of changes, by mirror; none for those with parts
 */
record LiveState(Diagnosis diagnosis, List<VerbRow> requests, Map<String, DurationCounts> lags) {

    /** The lowest HTTP status of an error. */
    private static final int ERROR = 400;

    /**
     * The requests of clients with one verb.
     *
     * @param verb the verb, {@code other} for requests that are not about resources
     * @param answeredBy {@code kubemirror} or {@code api-server}
     * @param errors the number of those that were refused or failed
     * @param durations the time until the response was sent, or until the watch was accepted
     */
    record VerbRow(String verb, String answeredBy, long errors, DurationCounts durations) {}

    /**
     * Takes a sample.
     *
     * @param registry has the metrics of requests and delays
     */
    static LiveState of(ProcessDescription process, MeterRegistry registry) {
        return new LiveState(
                Diagnosis.of(process, _ -> true),
                requests(registry),
                process.plain().stream()
                        .collect(
                                toMap(
                                        mirror -> mirror.scope().toString(),
                                        mirror -> lag(mirror, registry))));
    }

    private static DurationCounts lag(Mirror mirror, MeterRegistry registry) {
        return DurationCounts.of(
                registry.find("kubemirror.sync.lag").tags(mirror.scope().tags()).timers());
    }

    private static List<VerbRow> requests(MeterRegistry registry) {
        Map<List<String>, Long> errors =
                registry.find("kubemirror.requests").counters().stream()
                        .filter(counter -> Integer.parseInt(tag(counter, "code", "0")) >= ERROR)
                        .collect(groupingBy(LiveState::verb, summingLong(LiveState::count)));
        return registry.find("kubemirror.request.duration").timers().stream()
                .collect(groupingBy(LiveState::verb))
                .entrySet()
                .stream()
                .map(
                        verb ->
                                new VerbRow(
                                        verb.getKey().getFirst(),
                                        verb.getKey().getLast(),
                                        errors.getOrDefault(verb.getKey(), 0L),
                                        DurationCounts.of(verb.getValue())))
                .sorted(comparing(VerbRow::verb).thenComparing(VerbRow::answeredBy))
                .toList();
    }

    /** Returns the verb of a series, and who answered. */
    private static List<String> verb(Meter meter) {
        return List.of(tag(meter, "verb", ""), tag(meter, "answered.by", ""));
    }

    private static String tag(Meter meter, String name, String otherwise) {
        return requireNonNullElse(meter.getId().getTag(name), otherwise);
    }

    private static long count(Counter counter) {
        return (long) counter.count();
    }

    /**
     * The durations that timers have recorded since the start, for the status page, which compares
     * two samples.
     *
     * @param count the number of recorded durations
     * @param seconds their sum
     * @param within the number of those that are not longer than a bound in seconds, by bound; the
     *     bounds are those of the metric
     */
    record DurationCounts(long count, double seconds, Map<Double, Long> within) {

        /** Adds up timers of one metric. */
        static DurationCounts of(Collection<Timer> timers) {
            return new DurationCounts(
                    timers.stream().mapToLong(Timer::count).sum(),
                    timers.stream().mapToDouble(timer -> timer.totalTime(TimeUnit.SECONDS)).sum(),
                    timers.stream()
                            .flatMap(timer -> Stream.of(timer.takeSnapshot().histogramCounts()))
                            .filter(bucket -> Double.isFinite(bucket.bucket()))
                            .collect(
                                    groupingBy(
                                            bucket -> bucket.bucket(TimeUnit.SECONDS),
                                            TreeMap::new,
                                            summingLong(bucket -> (long) bucket.count()))));
        }
    }
}
