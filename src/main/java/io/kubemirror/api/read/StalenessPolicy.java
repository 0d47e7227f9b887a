package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.ReadPolicy.ReadMode;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.State;
import io.kubemirror.model.GoString;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SteadyClock;

import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

/**
 * Reports the freshness of each response to the client, and rejects reads that are staler than the
 * client or the configuration allows (list-watch.md#fr-1, #fr-5).
 *
 * <p>The age is the time since the API server last showed that the mirror is current; a refusal or
 * a part of a list does not. It may still be, since a quiet server is heard from about once a
 * minute.
 *
 * <p>A client sets its bound in a custom header. Rejected: {@code Cache-Control: max-age}, which no
 * Kubernetes client sends and every browser sends with 0 when a page is reloaded.
 */
public record StalenessPolicy(SteadyClock clock) {

    /** The revision of the response. For watches and errors, the revision of the mirror. */
    public static final String REVISION = "Kubemirror-Revision";

    /**
     * The number of whole seconds since the last contact with the API server; absent if there was
     * none.
     */
    public static final String AGE = "Kubemirror-Upstream-Age";

    /** The name of the header with a {@link State} or {@link #INITIALIZING}. */
    public static final String STATE = "Kubemirror-State";

    /** Which members of objects the response can have, if not all (list-watch.md#ca-4a). */
    public static final String FIELDS = "Kubemirror-Fields";

    /** The state of a mirror or type that is not known yet. */
    static final String INITIALIZING = "initializing";

    /** The request header with the maximum number of seconds since the last contact. */
    static final String MAX_AGE = "Kubemirror-Max-Age";

    /**
     * The state of a mirror at a moment.
     *
     * @param state the state
     * @param since when it began
     * @param untilStale the time after which the mirror is stale unless the API server is heard of
     *     until then; null if only reports of the mirror change the state
     */
    public record MirrorState(State state, Instant since, @Nullable Duration untilStale) {

        /** Returns the state as it is written in headers and events. */
        public String text() {
            return state.name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns the present state of a mirror that has been synchronized once. */
    public MirrorState state(Mirror mirror) {
        return freshness(mirror).state();
    }

    /**
     * The connection of a mirror at a moment. It is read once for an answer, so that its headers
     * say what it is refused for.
     */
    private record Freshness(UpstreamStatus upstream, Duration age, @Nullable Duration bound) {

        /**
         * Returns whether the mirror is disconnected. A watched server may be silent; the reflector
         * detects a failed connection.
         */
        boolean isStale() {
            return upstream.state() != State.SYNCED && bound != null && age.compareTo(bound) > 0;
        }

        MirrorState state() {
            if (upstream.state() != State.RESYNCING || bound == null) {
                return new MirrorState(upstream.state(), upstream.stateSince(), null);
            }
            return isStale()
                    ? new MirrorState(State.STALE, upstream.contact().plus(bound), null)
                    : new MirrorState(
                            State.RESYNCING, upstream.stateSince(), bound.minus(age).plusMillis(1));
        }
    }

    private Freshness freshness(Mirror mirror) {
        UpstreamStatus upstream = mirror.upstream();
        Duration age = Duration.between(upstream.contact(), clock.instant());
        return new Freshness(upstream, age, mirror.reads().stalenessBound());
    }

    /**
     * Writes the freshness headers, and checks whether the mirror may answer.
     *
     * @param newest whether the client requires the most recent state, rather than any state or a
     *     certain one
     * @throws Rejection if the state of the mirror is too old, or the bound of the client is
     *     invalid
     */
    void admit(Mirror mirror, boolean newest, Exchange exchange) throws Rejection {
        Freshness heard = freshness(mirror);
        // The API server has just verified the mirror (list-watch.md#fr-3).
        boolean verified = isVerified(mirror, newest) && !exchange.isWatch();
        Freshness now =
                verified ? new Freshness(heard.upstream(), Duration.ZERO, heard.bound()) : heard;
        exchange.response().setHeader(REVISION, mirror.revision().digits());
        write(mirror, now, exchange.response());
        String fields = mirror.reads().fields();
        if (!fields.isEmpty()) {
            exchange.response().setHeader(FIELDS, fields);
        }
        check(mirror, now, newest, exchange);
    }

    /** Returns whether the API server verifies a get or list of a mirror (list-watch.md#fr-3). */
    static boolean isVerified(Mirror mirror, boolean newest) {
        return newest && mirror.reads().mode() == ReadMode.VERIFY;
    }

    /**
     * Checks whether the mirror may answer, as {@link #admit} does.
     *
     * @throws Rejection if the state of the mirror is too old
     */
    void check(Mirror mirror, boolean newest, Exchange exchange) throws Rejection {
        check(mirror, freshness(mirror), newest, exchange);
    }

    private static void check(Mirror mirror, Freshness now, boolean newest, Exchange exchange)
            throws Rejection {
        Duration demanded = maxAge(exchange);
        if (mirror.snapshot().isEmpty()) {
            return;
        }
        if (demanded != null && now.age().compareTo(demanded) > 0) {
            throw tooOld(mirror, now, MAX_AGE + " allows " + demanded.toSeconds() + "s");
        }
        Duration bound = now.bound();
        if (newest && bound != null && now.isStale()) {
            throw tooOld(mirror, now, "staleness-bound allows " + bound.toSeconds() + "s");
        }
    }

    /**
     * Writes the headers again when a watch begins that has waited for a revision.
     *
     * @param state the revision of the state that it begins with, empty if it begins with none
     */
    public void refresh(Mirror mirror, Optional<Revision> state, Exchange exchange) {
        state.ifPresent(one -> exchange.response().setHeader(REVISION, one.digits()));
        write(mirror, freshness(mirror), exchange.response());
    }

    private static void write(Mirror mirror, Freshness now, HttpServletResponse response) {
        boolean synced = mirror.snapshot().isPresent();
        response.setHeader(STATE, synced ? now.state().text() : INITIALIZING);
        // The age of what has just been verified is 0, even before the first contact.
        if (now.age().isZero() || !now.upstream().contact().equals(Instant.EPOCH)) {
            response.setHeader(AGE, Long.toString(Math.max(0, now.age().toSeconds())));
        }
    }

    /** Returns the greatest age that a client accepts, null for any. */
    private static @Nullable Duration maxAge(Exchange exchange) throws Rejection {
        String text = exchange.request().getHeader(MAX_AGE);
        if (text == null) {
            return null;
        }
        if (!text.matches("[0-9]{1,9}")) {
            throw Rejection.badRequest(
                    "%s: invalid value %s: must be a number of seconds"
                            .formatted(MAX_AGE, GoString.quote(text)));
        }
        return Duration.ofSeconds(Long.parseLong(text));
    }

    private static Rejection tooOld(Mirror mirror, Freshness now, String allowed) {
        return new Rejection(
                StatusErrors.tooOld(
                        "the mirror of %s last had contact with its API server %ds ago, and %s"
                                .formatted(mirror.scope(), now.age().toSeconds(), allowed)));
    }
}
