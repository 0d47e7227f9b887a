package io.kubemirror.feature.access;

import io.kubemirror.api.http.AccessControl.AccessDecision;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;

import java.util.List;

/** Counts access decisions and the review requests sent to the API server. */
final class AccessMeters {

    private final MeterRegistry registry;
    private final MeterProvider<Counter> decisions;

    AccessMeters(MeterRegistry registry) {
        this.registry = registry;
        this.decisions =
                Counter.builder("kubemirror.access.decisions")
                        .description("Access decisions for requests and for open watches")
                        .withRegistry(registry);
        for (String decision : List.of("allowed", "unauthenticated", "forbidden", "unavailable")) {
            decisions.withTag("decision", decision);
        }
    }

    /** Counts a decision about a request or an open watch. */
    void decided(AccessDecision verdict) {
        String decision =
                switch (verdict) {
                    case AccessDecision.Admitted _ -> "allowed";
                    case AccessDecision.Unauthenticated _ -> "unauthenticated";
                    case AccessDecision.Forbidden _ -> "forbidden";
                    case AccessDecision.Unavailable _ -> "unavailable";
                };
        decisions.withTag("decision", decision).increment();
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
