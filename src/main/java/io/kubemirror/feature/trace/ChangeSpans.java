package io.kubemirror.feature.trace;

import module java.base;

import io.kubemirror.mirror.ChangeTracer;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;

import org.jspecify.annotations.Nullable;

/**
 * Traces of changes as spans. Each change in the sample is a trace of its own: a span {@code
 * kubemirror.change} from the event of the API server until readers see the change, and for the
 * first watches that send it a span {@code kubemirror.delivery} from the event until it is sent.
 *
 * <p>The tracer decides which changes are in the sample. No attribute names an object or contains a
 * part of it. The newest changes are kept, so the memory is bounded.
 */
public final class ChangeSpans implements ChangeTracer {

    /** The number of changes that wait for their deliveries, at about 1 KB each. */
    private static final int CHANGES = 256;

    /** The number of deliveries of a change. */
    private static final int DELIVERIES = 10;

    private final Tracer tracer;
    private final InstantSource clock;
    private final LongSupplier nanos;

    /** A change is added before it is published; the map itself hands it to the watches. */
    private final Map<ChangeKey, ChangeSpan> newest = new ConcurrentHashMap<>();

    private final Queue<ChangeKey> order = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    /** Identifies a change in a mirror, and in the union of that mirror with others. */
    private record ChangeKey(String resource, String selectors, Revision revision) {

        static ChangeKey of(Scope scope, Revision revision) {
            return new ChangeKey(scope.resource().text(), scope.selectors(), revision);
        }
    }

    /**
     * Creates traces.
     *
     * @param clock dates the spans
     * @param nanos a monotonic clock in nanoseconds
     */
    public ChangeSpans(Tracer tracer, InstantSource clock, LongSupplier nanos) {
        this.tracer = tracer;
        this.clock = clock;
        this.nanos = nanos;
    }

    @Override
    public Trace arrived(Scope scope, String event, Revision revision) {
        long begun = nanos.getAsLong();
        Span span =
                tracer.spanBuilder()
                        .setNoParent()
                        .name("kubemirror.change")
                        .kind(Span.Kind.CONSUMER)
                        .start();
        if (!Boolean.TRUE.equals(span.context().sampled())) {
            span.end();
            return Trace.NONE;
        }
        describe(span, scope, event).tag("kubemirror.revision", revision.digits());
        ChangeSpan trace = new ChangeSpan(span, scope, event, begun, clock.instant());
        ChangeKey key = ChangeKey.of(scope, revision);
        if (newest.put(key, trace) == null) {
            order.add(key);
            if (size.incrementAndGet() > CHANGES) {
                newest.remove(order.remove());
                size.decrementAndGet();
            }
        }
        return trace;
    }

    private static Span describe(Span span, Scope scope, String event) {
        return span.tag("kubemirror.resource", scope.resource().text())
                .tag("kubemirror.mirror", scope.toString())
                .tag("kubemirror.event", event);
    }

    @Override
    public @Nullable Trace find(Scope scope, Revision revision) {
        return newest.isEmpty() ? null : newest.get(ChangeKey.of(scope, revision));
    }

    /** The spans of one change. */
    private final class ChangeSpan implements Trace {

        private final Span span;
        private final Tracer.SpanInScope current;
        private final Scope scope;
        private final String event;
        private final long begun;
        private final Instant arrival;
        private final AtomicInteger deliveries = new AtomicInteger();

        ChangeSpan(Span span, Scope scope, String event, long begun, Instant arrival) {
            this.span = span;
            this.scope = scope;
            this.event = event;
            this.begun = begun;
            this.arrival = arrival;
            this.current = tracer.withSpan(span);
        }

        @Override
        public void lag(@Nullable Duration lag) {
            if (lag != null) {
                span.tag("kubemirror.lag_ms", lag.toMillis());
            }
        }

        @Override
        public void delivered(LongConsumer recorder) {
            if (deliveries.incrementAndGet() > DELIVERIES) {
                return;
            }
            Span delivery =
                    tracer.spanBuilder()
                            .setParent(span.context())
                            .name("kubemirror.delivery")
                            .kind(Span.Kind.PRODUCER)
                            .startTimestamp(
                                    TimeUnit.SECONDS.toNanos(arrival.getEpochSecond())
                                            + arrival.getNano(),
                                    TimeUnit.NANOSECONDS)
                            .start();
            describe(delivery, scope, event);
            try (Tracer.SpanInScope _ = tracer.withSpan(delivery)) {
                recorder.accept(nanos.getAsLong() - begun);
            } finally {
                delivery.end();
            }
        }

        @Override
        public void close() {
            current.close();
            span.end();
        }
    }
}
