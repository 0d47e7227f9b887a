package io.kubemirror.api.read;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.model.GoString;

import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Tells every client how true its answer is, and refuses an answer that is older than the client or
 * the configuration allows (list-watch.md#fr-1, #fr-5).
 *
 * <p>Age is the time since the API server was last heard of. What a mirror holds was true then; it
 * may be true still, since a quiet server is heard of about once a minute.
 *
 * <p>A client sets its bound by a header of our own. Rejected: {@code ReportedCache-Control:
 * max-age}, which no Kubernetes client sends and every browser does when a page is loaded again,
 * with 0.
 */
public final class StalenessPolicy {

    /** The revision that an answer is at; of a watch and of an error, the mirror's. */
    public static final String REVISION = "Kubemirror-Revision";

    /** Whole seconds since the API server was last heard of; absent if it never was. */
    public static final String AGE = "Kubemirror-Upstream-Age";

    /** One of {@link Staleness}. */
    public static final String STATE = "Kubemirror-State";

    /** The state in which something is not known yet. */
    static final String INITIALIZING = "initializing";

    /** Of a request: how many seconds old the last contact may be. */
    static final String MAX_AGE = "Kubemirror-Max-Age";

    private final ReadPolicies policies;
    private final InstantSource clock;

    /** How a mirror stands with its API server. */
    private enum Staleness {
        /** It has no complete state yet. */
        INITIALIZING(StalenessPolicy.INITIALIZING),
        /** Changes arrive as they happen. */
        SYNCED("synced"),
        /** It lists anew; until that is complete it answers with what it had. */
        RESYNCING("resyncing"),
        /** It is cut off, and answers with what it had. */
        STALE("stale");

        private final String text;

        Staleness(String text) {
            this.text = text;
        }
    }

    public StalenessPolicy(ReadPolicies policies, InstantSource clock) {
        this.policies = policies;
        this.clock = clock;
    }

    /**
     * Describes the mirror in the headers of the answer, and decides whether it may answer.
     *
     * @param newest whether the newest state is wanted, and not just any or a certain one
     * @throws Rejection if what the mirror knows is too old, or the client's bound is none
     */
    public void admit(Mirror mirror, boolean newest, Exchange exchange) throws Rejection {
        Instant contact = mirror.upstream().contact();
        Duration age = Duration.between(contact, clock.instant());
        describe(mirror, age, exchange.response());
        Optional<Duration> demanded = demanded(exchange);
        if (mirror.snapshot().isEmpty()) {
            return;
        }
        if (demanded.isPresent() && age.compareTo(demanded.get()) > 0) {
            throw tooOld(mirror, age, MAX_AGE + " allows " + demanded.get().toSeconds() + "s");
        }
        Duration bound = policies.of(mirror.scope()).stalenessBound();
        if (newest && bound != null && isCutOff(mirror.upstream().phase(), age, bound)) {
            throw tooOld(mirror, age, "staleness-bound allows " + bound.toSeconds() + "s");
        }
    }

    /**
     * Describes an answer of the mirror that the API server has just confirmed
     * (list-watch.md#fr-3).
     */
    public void verified(Mirror mirror, Exchange exchange) {
        describe(mirror, Duration.ZERO, exchange.response());
        exchange.response().setHeader(AGE, "0");
    }

    private void describe(Mirror mirror, Duration age, HttpServletResponse response) {
        response.setHeader(REVISION, mirror.revision().digits());
        response.setHeader(STATE, state(mirror, age).text);
        if (!mirror.upstream().contact().equals(Instant.EPOCH)) {
            response.setHeader(AGE, Long.toString(Math.max(0, age.toSeconds())));
        }
    }

    private Staleness state(Mirror mirror, Duration age) {
        if (mirror.snapshot().isEmpty()) {
            return Staleness.INITIALIZING;
        }
        UpstreamStatus.Phase phase = mirror.upstream().phase();
        return isCutOff(phase, age, policies.of(mirror.scope()).stalenessBound())
                ? Staleness.STALE
                : switch (phase) {
                    case WATCHING, POLLING, ABSENT -> Staleness.SYNCED;
                    case RESOLVING, SYNCHRONISING -> Staleness.RESYNCING;
                    case BACKING_OFF, OVER_BUDGET, STOPPED -> Staleness.STALE;
                };
    }

    /** A server that is being watched may be silent; what is amiss then, the reflector finds. */
    private static boolean isCutOff(
            UpstreamStatus.Phase phase, Duration age, @Nullable Duration bound) {
        boolean connected =
                switch (phase) {
                    case WATCHING, POLLING, ABSENT -> true;
                    case RESOLVING, SYNCHRONISING, BACKING_OFF, OVER_BUDGET, STOPPED -> false;
                };
        return !connected && bound != null && age.compareTo(bound) > 0;
    }

    private static Optional<Duration> demanded(Exchange exchange) throws Rejection {
        String text = exchange.request().getHeader(MAX_AGE);
        if (text == null) {
            return Optional.empty();
        }
        if (!text.matches("[0-9]{1,9}")) {
            throw new Rejection(
                    StatusErrors.badRequest(
                            MAX_AGE
                                    + ": invalid value "
                                    + GoString.quote(text)
                                    + ": must be a number of seconds"));
        }
        return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
    }

    private static Rejection tooOld(Mirror mirror, Duration age, String allowed) {
        return new Rejection(
                StatusErrors.tooOld(
                        "the mirror of "
                                + mirror.scope()
                                + " last heard of its API server "
                                + age.toSeconds()
                                + "s ago, and "
                                + allowed));
    }
}
