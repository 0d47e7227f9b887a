package io.kubemirror.api.proxy;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.UpstreamApi;
import io.kubemirror.upstream.VersionOutcome;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * The version of the API server, which {@code /version} repeats, since clients decide by it what
 * they may ask for.
 *
 * <p>It is remembered, and asked for again when it is old; as long as the server is away, the last
 * one is told. May be used from any thread.
 */
public final class VersionEndpoint {

    /** Upgrades of a server are noticed within this time. */
    private static final Duration FRESH = Duration.ofMinutes(5);

    /** Who knows a version does not wait longer for a new one. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final UpstreamApi api;
    private final LongSupplier nanos;
    private final SingleFlight<String, VersionOutcome> flight;
    private volatile @Nullable KnownVersion known;

    /**
     * What the server has told.
     *
     * @param reply the document
     * @param at when it was told
     */
    private record KnownVersion(Reply reply, long at) {}

    /**
     * Nothing is known yet.
     *
     * @param nanos a monotonic clock in nanoseconds
     * @param threads runs each task at once, on a thread of its own
     */
    public VersionEndpoint(UpstreamApi api, LongSupplier nanos, Executor threads) {
        this.api = api;
        this.nanos = nanos;
        this.flight = new SingleFlight<>(1, threads);
    }

    /**
     * Answers with the document of the server.
     *
     * @param allotted how long the request may take
     * @throws Rejection if it is not known and cannot be had
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public Reply read(Duration allotted) throws Rejection, InterruptedException {
        KnownVersion old = known;
        if (old != null && nanos.getAsLong() - old.at() < FRESH.toNanos()) {
            return old.reply();
        }
        return switch (ask(old == null || allotted.compareTo(PATIENCE) < 0 ? allotted : PATIENCE)) {
            case VersionOutcome.Known told -> remember(told);
            case Failure failure when old == null ->
                    throw new Rejection(UpstreamProxy.status(failure));
            case Failure _ -> old.reply();
        };
    }

    private Reply remember(VersionOutcome.Known told) {
        Reply reply = Reply.json(told.json().getBytes(StandardCharsets.UTF_8));
        known = new KnownVersion(reply, nanos.getAsLong());
        return reply;
    }

    private VersionOutcome ask(Duration patience) throws Rejection, InterruptedException {
        try {
            return flight.join("", api::version)
                    .orElseThrow(() -> new Rejection(StatusErrors.tooManyProxied()))
                    .await(patience);
        } catch (TimeoutException late) {
            return new Failure.Unreachable("no answer came in time", false);
        }
    }
}
