package io.kubemirror.api.http;

import module java.base;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

/**
 * Metrics of read API requests and their durations. Thread-safe.
 *
 * <p>The number of series is the number of observed combinations of verb, resource, code, form, and
 * who answered: a few dozen. No text that a client can choose becomes a tag: other resources than
 * mirrored ones are named only if the API server has them. Durations have no code and form, because
 * each of them is a dozen series.
 *
 * <p>Rejected: Spring's {@code http.server.requests}, because it knows neither resource nor form,
 * and counts the whole time that a watch is open as the duration of its request. It is disabled, so
 * that no request is measured twice.
 */
public final class RequestMeters {

    /** The maximum number of resources that are not mirrored and have a name in metrics. */
    private static final int MAX_PASSED = 256;

    private static final String REQUESTS = "kubemirror.requests";
    private static final String DURATION = "kubemirror.request.duration";

    private static final Duration[] DURATIONS =
            LongStream.of(1, 5, 25, 100, 250, 1_000, 2_500, 10_000, 60_000)
                    .mapToObj(Duration::ofMillis)
                    .toArray(Duration[]::new);

    private final LongSupplier nanos;
    private final MeterProvider<Counter> counters;
    private final MeterProvider<Timer> timers;

    /** The resources of requests that the API server has answered without an error. */
    private final Set<String> passed = ConcurrentHashMap.newKeySet();

    /**
     * Creates the metrics without requests.
     *
     * @param nanos a monotonic clock in nanoseconds
     */
    public RequestMeters(MeterRegistry registry, LongSupplier nanos) {
        this.nanos = nanos;
        this.counters =
                Counter.builder(REQUESTS)
                        .description("[KEY] Requests by kind and result")
                        .withRegistry(registry);
        this.timers =
                Timer.builder(DURATION)
                        .description("Time until the response is sent or the watch is established")
                        .serviceLevelObjectives(DURATIONS)
                        .withRegistry(registry);
    }

    /** Starts the observation of a request. */
    public RequestObservation begin() {
        return new RequestObservation(nanos.getAsLong());
    }

    /**
     * The observation of one request until its response is recorded. Confined to one thread at a
     * time.
     */
    public final class RequestObservation {

        /**
         * The status code for a client that disconnected before its response was complete, as other
         * servers record it.
         */
        public static final int ABANDONED = 499;

        private final long began;
        private String verb = "other";
        private String resource = "";
        private String representation = "";
        private String server = "kubemirror";
        private boolean counted;

        /** Whether the resource becomes a tag only if the API server knows it. */
        private boolean candidate;

        private RequestObservation(long began) {
            this.began = began;
        }

        /** Sets the verb of a request: one of the API server's, or {@code other}. */
        public void verb(String verb) {
            this.verb = verb;
        }

        /** Sets the mirrored resource that the request reads, named as it is configured. */
        public void resource(String resource) {
            this.resource = resource;
        }

        /** Records that the API server answers the request. */
        public void passed() {
            server = "api-server";
        }

        /**
         * Records that a request is passed on to the API server.
         *
         * @param name the resource that the request names, which may not exist; empty for none
         */
        public void passed(String name) {
            passed();
            resource = name;
            candidate = true;
        }

        /** Sets the form of the response. */
        public void representation(Representation chosen) {
            String shape = chosen.shape().label();
            representation =
                    switch (chosen.framing()) {
                        case JSON_LINES -> shape.isEmpty() ? "json" : shape;
                        case SERVER_SENT_EVENTS -> shape.isEmpty() ? "sse" : "sse-" + shape;
                    };
        }

        /**
         * Records a response when it is complete, or that of a watch as soon as the watch is open.
         * Only the first call counts.
         */
        public void answered(int code) {
            if (!counted) {
                counted = true;
                Tags target = Tags.of("verb", verb, "resource", named(code), "answered.by", server);
                timers.withTags(target).record(nanos.getAsLong() - began, TimeUnit.NANOSECONDS);
                counters.withTags(
                                target.and(
                                        "code",
                                        Integer.toString(code),
                                        "representation",
                                        representation))
                        .increment();
            }
        }

        private String named(int code) {
            if (candidate && code < 400 && passed.size() < MAX_PASSED) {
                passed.add(resource);
            }
            return candidate && !passed.contains(resource) ? "" : resource;
        }
    }
}
