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
 * Counts the requests of the read API and times their answers; may be used from any thread.
 *
 * <p>There are as many series as verbs, mirrored resources, codes and forms meet in requests: a few
 * dozen. Nothing that a client is free to write becomes a tag. Durations are kept by verb and
 * resource only, since each of them is a dozen series.
 *
 * <p>Rejected: Spring's own {@code http.server.requests}, which knows neither resource nor form,
 * and takes the hour that a watch is open for the time that its request took. It is switched off,
 * so that no request is measured twice.
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

    /** What is asked for. */
    record Target(String verb, String resource) {}

    /** What is counted together. */
    record RequestKind(Target target, int code, String representation) {}

    /**
     * No requests yet.
     *
     * @param nanos a monotonic clock in nanoseconds
     */
    public RequestMeters(MeterRegistry registry, LongSupplier nanos) {
        this.registry = registry;
        this.nanos = nanos;
    }

    /** A request has come, of which the rest has to be found out. */
    public RequestObservation begin() {
        return new RequestObservation(this, nanos.getAsLong());
    }

    /** An answer is complete; a watch's, as soon as it stands. */
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
