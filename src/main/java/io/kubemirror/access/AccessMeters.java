package io.kubemirror.access;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Counts access decisions and the review requests sent to the API server. */
final class AccessMeters {

    private final Map<Decision, Counter> decisions = new EnumMap<>(Decision.class);
    private final Map<Review, Map<Outcome, Counter>> reviews = new EnumMap<>(Review.class);

    /** The kinds of decisions that are counted. */
    enum Decision {
        ALLOWED,
        UNAUTHENTICATED,
        FORBIDDEN,
        UNAVAILABLE
    }

    /** The kinds of review requests. */
    enum Review {
        TOKEN,
        ACCESS
    }

    /** The outcomes of a review request. */
    enum Outcome {
        YES,
        NO,
        FAILED
    }

    AccessMeters(MeterRegistry registry) {
        for (Decision decision : Decision.values()) {
            decisions.put(
                    decision,
                    Counter.builder("kubemirror.access.decisions")
                            .description("Requests and looks at open watches, by what was decided")
                            .tag("decision", tag(decision))
                            .register(registry));
        }
        for (Review review : Review.values()) {
            Map<Outcome, Counter> outcomes = new EnumMap<>(Outcome.class);
            for (Outcome outcome : Outcome.values()) {
                outcomes.put(
                        outcome,
                        Counter.builder("kubemirror.access.reviews")
                                .description("Reviews that the API server was asked for")
                                .tag("review", tag(review))
                                .tag("outcome", tag(outcome))
                                .register(registry));
            }
            reviews.put(review, outcomes);
        }
    }

    private static String tag(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Counts a decision about a request or an open watch. */
    void decided(AccessDecision verdict) {
        Decision decision =
                switch (verdict) {
                    case AccessDecision.Admitted _ -> Decision.ALLOWED;
                    case AccessDecision.Unauthenticated _ -> Decision.UNAUTHENTICATED;
                    case AccessDecision.Forbidden _ -> Decision.FORBIDDEN;
                    case AccessDecision.Unavailable _ -> Decision.UNAVAILABLE;
                };
        Objects.requireNonNull(decisions.get(decision)).increment();
    }

    /** Counts a review request. */
    void reviewed(Review review, Outcome outcome) {
        Objects.requireNonNull(Objects.requireNonNull(reviews.get(review)).get(outcome))
                .increment();
    }
}
