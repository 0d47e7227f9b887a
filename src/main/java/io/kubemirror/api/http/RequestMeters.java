package io.kubemirror.api.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/**
 * Metrics of read API requests and their durations. Thread-safe.
 *
 * <p>The number of series is the number of observed combinations of verb, mirrored resource, code,
 * and form: a few dozen. No text that a client can choose becomes a tag. Durations have the tags
 * verb and resource only, because each of them is a dozen series.
 *
 * <p>Rejected: Spring's {@code http.server.requests}, because it knows neither resource nor form,
 * and counts the whole time that a watch is open as the duration of its request. It is disabled, so
 * that no request is measured twice.
 */
public final class RequestMeters {

    private static final Duration[] DURATIONS =
            LongStream.of(1, 5, 25, 100, 250, 1_000, 2_500, 10_000, 60_000)
                    .mapToObj(Duration::ofMillis)
                    .toArray(Duration[]::new);

    private final MeterRegistry registry;
    private final LongSupplier nanos;
    private final Map<RequestKind, Counter> counters = new ConcurrentHashMap<>();
    private final Map<Target, Timer> timers = new ConcurrentHashMap<>();

    /** The verb and resource of a request. */
    record Target(String verb, String resource) {}

    /** The tags of the request counter. */
    record RequestKind(Target target, int code, String representation) {}

    /**
     * Creates the metrics without requests.
     *
     * @param nanos a monotonic clock in nanoseconds
     */
    public RequestMeters(MeterRegistry registry, LongSupplier nanos) {
        this.registry = registry;
        this.nanos = nanos;
    }

    /** Starts the observation of a request. */
    public RequestObservation begin() {
        return new RequestObservation(this, nanos.getAsLong());
    }

    /** Records a response when it is complete, or that of a watch as soon as the watch is open. */
    void answered(RequestKind kind, long began) {
        timers.computeIfAbsent(kind.target(), this::timer)
                .record(nanos.getAsLong() - began, TimeUnit.NANOSECONDS);
        counters.computeIfAbsent(kind, this::counter).increment();
    }

    private Counter counter(RequestKind kind) {
        return Counter.builder("kubemirror.requests")
                .description("Requests by what was asked and what came of it")
                .tag("verb", kind.target().verb())
                .tag("resource", kind.target().resource())
                .tag("code", Integer.toString(kind.code()))
                .tag("representation", kind.representation())
                .register(registry);
    }

    private Timer timer(Target target) {
        return Timer.builder("kubemirror.request.duration")
                .description("Time until an answer was sent, or a watch stood")
                .tag("verb", target.verb())
                .tag("resource", target.resource())
                .serviceLevelObjectives(DURATIONS)
                .register(registry);
    }
}
