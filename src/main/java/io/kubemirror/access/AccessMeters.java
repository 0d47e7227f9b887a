package io.kubemirror.access;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts access decisions and the review requests sent to the API server. */
final class AccessMeters {

    private final MeterRegistry registry;
    private final Counter allowed;
    private final Counter unauthenticated;
    private final Counter forbidden;
    private final Counter unavailable;

    AccessMeters(MeterRegistry registry) {
        this.registry = registry;
        this.allowed = decisions("allowed");
        this.unauthenticated = decisions("unauthenticated");
        this.forbidden = decisions("forbidden");
        this.unavailable = decisions("unavailable");
    }

    private Counter decisions(String decision) {
        return Counter.builder("kubemirror.access.decisions")
                .description("Access decisions for requests and for open watches")
                .tag("decision", decision)
                .register(registry);
    }

    /** Counts a decision about a request or an open watch. */
    void decided(AccessDecision verdict) {
        Counter counter =
                switch (verdict) {
                    case AccessDecision.Admitted _ -> allowed;
                    case AccessDecision.Unauthenticated _ -> unauthenticated;
                    case AccessDecision.Forbidden _ -> forbidden;
                    case AccessDecision.Unavailable _ -> unavailable;
                };
        counter.increment();
    }

    /**
     * Returns the counter of review requests of a kind with an outcome.
     *
     * @param review {@code token} or {@code access}
     * @param outcome {@code yes}, {@code no}, or {@code failed}
     */
    Counter reviews(String review, String outcome) {
        return Counter.builder("kubemirror.access.reviews")
                .description("Reviews requested from the API server")
                .tag("review", review)
                .tag("outcome", outcome)
                .register(registry);
    }
}
