package io.kubemirror.feature.page;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingDouble;

import io.kubemirror.app.Mirrored;
import io.kubemirror.feature.diagnose.Diagnosis;
import io.kubemirror.feature.diagnose.Diagnosis.Finding;
import io.kubemirror.feature.diagnose.Diagnosis.ProgramDiagnosis;
import io.kubemirror.feature.diagnose.DiagnosisInput;
import io.kubemirror.feature.diagnose.Findings;
import io.kubemirror.feature.diagnose.MirrorDiagnosis;
import io.kubemirror.feature.diagnose.MirrorDiagnosis.ContentStatus;
import io.kubemirror.feature.diagnose.MirrorDiagnosis.HistoryStatus;
import io.kubemirror.feature.diagnose.MirrorDiagnosis.MirrorState;
import io.kubemirror.feature.diagnose.MirrorDiagnosis.WatcherStatus;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.reflector.ReflectorStatus.StateChange;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A sample of the current state for the status page, taken without requests to the API server. The
 * page computes rates from the difference of two samples.
 *
 * @param at when it was taken
 * @param program this process
 * @param upstream the API server
 * @param contents whether the page may show how objects have changed
 * @param findings what is wrong, the worst first
 * @param memory what memory is used for
 * @param mirrors the mirrors in the order of the configuration
 * @param requests the requests of clients by verb, in alphabetical order
 * @param clients the open watches that are most behind, at most {@link #CLIENTS}
 * @param changes the last changes of the states of mirrors, newest first, at most {@link #CHANGES}
 */
record LiveState(
        Instant at,
        ProgramDiagnosis program,
        String upstream,
        boolean contents,
        List<Finding> findings,
        Diagnosis.Memory memory,
        List<Row> mirrors,
        List<VerbRow> requests,
        List<ClientRow> clients,
        List<ChangeRow> changes) {

    private static final int CLIENTS = 20;
    private static final int CHANGES = 50;

    /** The lowest HTTP status of an error. */
    private static final int ERROR = 400;

    /**
     * The state of a mirror.
     *
     * @param name its unique name
     * @param resource the resource as configured
     * @param namespace the namespace, empty for all
     * @param selector the selectors, empty for everything
     * @param state the state of the reflector
     * @param content what the mirror holds
     * @param window the history
     * @param received the number of changes that the server has sent
     * @param lag the delays of changes, null for a union
     * @param watchers the number of open watches
     */
    record Row(
            String name,
            String resource,
            String namespace,
            String selector,
            MirrorState state,
            ContentStatus content,
            HistoryStatus window,
            long received,
            @Nullable DurationCounts lag,
            int watchers) {}

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
     * An open watch.
     *
     * @param mirror the name of the mirror that it reads
     */
    record ClientRow(String mirror, WatcherStatus watch) {}

    /**
     * A state in which a mirror was or is.
     *
     * @param mirror the name of the mirror
     * @param began the beginning of the state
     * @param until when it ended, null if it lasts
     */
    record ChangeRow(String mirror, StateChange began, @Nullable Instant until) {}

    /**
     * Takes a sample.
     *
     * @param registry has the metrics of requests and delays
     * @param contents whether the page may show how objects have changed
     */
    static LiveState of(DiagnosisInput observed, MeterRegistry registry, boolean contents) {
        Instant now = observed.clock().instant();
        List<Mirrored> present = observed.mirrors();
        List<MirrorDiagnosis> mirrors =
                present.stream()
                        .map(
                                mirrored ->
                                        MirrorDiagnosis.of(
                                                mirrored,
                                                observed.watchers(),
                                                Map.of(),
                                                /* objects= */ false,
                                                now))
                        .toList();
        Diagnosis.Memory memory = Diagnosis.Memory.of(observed);
        return new LiveState(
                now,
                ProgramDiagnosis.of(observed.process(), now),
                observed.process().upstream(),
                contents,
                Findings.withoutRequests(observed, memory, mirrors),
                memory,
                IntStream.range(0, mirrors.size())
                        .mapToObj(i -> row(present.get(i), mirrors.get(i), registry))
                        .toList(),
                requests(registry),
                clients(mirrors),
                changes(mirrors));
    }

    private static Row row(Mirrored mirrored, MirrorDiagnosis diagnosis, MeterRegistry registry) {
        Mirror mirror = mirrored.mirror();
        Collection<Timer> lag =
                registry.find("kubemirror.sync.lag").tags(mirror.scope().tags()).timers();
        return new Row(
                diagnosis.name(),
                mirror.scope().resource().text(),
                mirror.scope().namespace(),
                mirror.scope().selectors(),
                diagnosis.state(),
                diagnosis.content(),
                diagnosis.window(),
                mirrored.received(),
                mirror.members().isEmpty() ? DurationCounts.of(lag) : null,
                diagnosis.watchers().open());
    }

    private static List<VerbRow> requests(MeterRegistry registry) {
        Map<List<String>, Long> errors =
                registry.find("kubemirror.requests").counters().stream()
                        .filter(counter -> code(counter) >= ERROR)
                        .collect(
                                Collectors.groupingBy(
                                        LiveState::verb,
                                        Collectors.summingLong(counter -> (long) counter.count())));
        return registry.find("kubemirror.request.duration").timers().stream()
                .collect(Collectors.groupingBy(LiveState::verb))
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
        return Stream.of("verb", "answered.by")
                .map(tag -> Objects.requireNonNullElse(meter.getId().getTag(tag), ""))
                .toList();
    }

    private static int code(Counter counter) {
        return Integer.parseInt(Objects.requireNonNullElse(counter.getId().getTag("code"), "0"));
    }

    private static List<ClientRow> clients(List<MirrorDiagnosis> mirrors) {
        return mirrors.stream()
                .flatMap(
                        mirror ->
                                mirror.watchers().shown().stream()
                                        .map(watch -> new ClientRow(mirror.name(), watch)))
                .sorted(
                        comparingDouble((ClientRow client) -> client.watch().lateSeconds())
                                .reversed()
                                .thenComparing(client -> client.watch().since()))
                .limit(CLIENTS)
                .toList();
    }

    private static List<ChangeRow> changes(List<MirrorDiagnosis> mirrors) {
        return mirrors.stream()
                .flatMap(LiveState::changes)
                .sorted(comparing((ChangeRow change) -> change.began().at()).reversed())
                .limit(CHANGES)
                .toList();
    }

    /** Returns the changes of a mirror, newest first, so that equal times stay in this order. */
    private static Stream<ChangeRow> changes(MirrorDiagnosis mirror) {
        List<StateChange> newest = mirror.stateChanges().reversed();
        return IntStream.range(0, newest.size())
                .mapToObj(
                        i ->
                                new ChangeRow(
                                        mirror.name(),
                                        newest.get(i),
                                        i == 0 ? null : newest.get(i - 1).at()));
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
                                    Collectors.groupingBy(
                                            bucket -> bucket.bucket(TimeUnit.SECONDS),
                                            TreeMap::new,
                                            Collectors.summingLong(DurationCounts::count))));
        }

        private static long count(CountAtBucket bucket) {
            return (long) bucket.count();
        }
    }
}
