package io.kubemirror.ops;

import io.kubemirror.reflector.ReflectorCounts.Span;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;

/**
 * The histograms of what takes a reflector time: lists, and the way of a change to here.
 *
 * <p>That way, the <em>sync lag</em>, is measured where it can be without a guess: for objects that
 * are created, from the time in their metadata to where readers have them. The time is the API
 * server's and cut off to whole seconds, so that a lag is up to a second too long, and what the two
 * clocks differ by is in it; hence buckets from 2 seconds on. It covers everything between the two
 * processes, and after an interruption of the watch what was created meanwhile.
 *
 * <p>Rejected: the times in {@code managedFields}, which tell of updates too, but not of all, are
 * the first that people drop, and would have to be read out of every object; the time from the last
 * byte of an event to its publication, which is microseconds on one thread and stays so however
 * late the event is; and to ask the server for its newest revision and wait for the mirror to come
 * to it, since where nothing happens in a collection it comes with a bookmark, about a minute
 * later. Whether a quiet collection is still followed, the age of the last contact tells.
 */
final class SpanTimers {

    private static final Duration[] LISTS = seconds(1, 2, 5, 10, 30, 60, 300, 1_800);
    private static final Duration[] LAG = seconds(2, 5, 10, 30, 60, 300);

    private final Map<Span, Timer> timers = new EnumMap<>(Span.class);

    SpanTimers(MeterRegistry registry, Tags scope) {
        for (Span span : Span.values()) {
            timers.put(span, timer(span, scope).register(registry));
        }
    }

    /** Where the durations of a kind go. */
    Timer of(Span span) {
        return Objects.requireNonNull(timers.get(span));
    }

    private static Timer.Builder timer(Span span, Tags scope) {
        return switch (span) {
            case WATCH_LIST -> lists("watch-list", scope);
            case LIST -> lists("list-watch", scope);
            case LIST_WITH_WATCH -> lists("list-watch-parallel", scope);
            case SYNC_LAG ->
                    Timer.builder("kubemirror.sync.lag")
                            .description("From the creation of objects to where readers have them")
                            .serviceLevelObjectives(LAG)
                            .tags(scope);
        };
    }

    private static Timer.Builder lists(String strategy, Tags scope) {
        return Timer.builder("kubemirror.upstream.list.duration")
                .description("How long complete lists took")
                .serviceLevelObjectives(LISTS)
                .tags(scope.and("strategy", strategy));
    }

    private static Duration[] seconds(long... values) {
        return LongStream.of(values).mapToObj(Duration::ofSeconds).toArray(Duration[]::new);
    }
}
