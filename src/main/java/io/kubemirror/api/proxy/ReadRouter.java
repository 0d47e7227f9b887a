package io.kubemirror.api.proxy;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.ReadMode;
import io.kubemirror.api.read.ReadPolicies;
import io.kubemirror.api.read.RevisionWait;
import io.kubemirror.api.read.ServedRevisions;
import io.kubemirror.api.read.SingleFlight;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ObjectShape;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.upstream.ListMeta;
import io.kubemirror.upstream.ListRequest;
import io.kubemirror.upstream.ResourceCollection;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.UpstreamApi;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;

/**
 * Decides which gets and lists the mirror answers, and which are proxied to the API server
 * (list-watch.md#fr-2 to #fr-4).
 *
 * <p>Only reads of the most recent state and their further pages are proxied. While the mirror is
 * behind a revision that a proxied response has shown, reads that accept any state are proxied too.
 * Reads that name a revision are served by the mirror.
 *
 * <p>To verify the mirror, the router requests the current revision from the server with a list of
 * one object. Concurrent requests share it. The revision of a quiet collection rises with every
 * change in the cluster, and the mirror hears of it only once a minute. A verification that does
 * not succeed in time is therefore no failure; the read is proxied.
 */
public final class ReadRouter {

    /**
     * The maximum number of collections, above any realistic configuration. Each has at most one
     * verification at a time.
     */
    private static final int MOST_COLLECTIONS = 10_000;

    private final UpstreamApi api;
    private final ReadPolicies policies;
    private final ServedRevisions served;
    private final RevisionWait revisionWait;
    private final SingleFlight<Mirror, Result<ListMeta>> probes;

    /** The server that answers a get or a list (list-watch.md#freshness). */
    public enum Route {
        /** The mirror. */
        MIRROR,
        /**
         * The mirror, which has reached the revision that the API server had when the request
         * arrived.
         */
        VERIFIED_MIRROR,
        /** The API server. */
        SERVER
    }

    /**
     * Creates a router.
     *
     * @param threads runs each task immediately, on its own thread
     */
    public ReadRouter(
            UpstreamApi api,
            ReadPolicies policies,
            ServedRevisions served,
            RevisionWait revisionWait,
            Executor threads) {
        this.api = api;
        this.policies = policies;
        this.served = served;
        this.revisionWait = revisionWait;
        this.probes = new SingleFlight<>(MOST_COLLECTIONS, threads);
    }

    /**
     * Decides which server answers a list.
     *
     * @param allotted the maximum duration of the request
     * @throws Rejection if the request is invalid, or the server is needed and unreachable
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public Route route(CollectionRequest wanted, Duration allotted)
            throws Rejection, InterruptedException {
        ListOptions options = wanted.options();
        if (mode(wanted.mirror()) == ReadMode.CACHE || wanted.isExact()) {
            return Route.MIRROR;
        }
        String token = options.paging().token();
        if (token.isEmpty()) {
            return route(wanted.mirror(), options.state().revision(), allotted);
        }
        return options.state().isOpen() && !hasPage(wanted.mirror(), ContinueToken.decode(token))
                ? Route.SERVER
                : Route.MIRROR;
    }

    /**
     * Returns whether the mirror can serve the next page. A page is best served by the server that
     * served the first one.
     */
    private boolean hasPage(Mirror mirror, ContinueToken token) {
        Revision revision = token.revision();
        return mode(mirror) == ReadMode.VERIFY
                && revision != null
                && mirror.snapshot(revision).isPresent();
    }

    /**
     * Decides which server answers a get.
     *
     * @param revision the {@code resourceVersion} as sent by the client, empty if unset
     * @param allotted the maximum duration of the request
     * @throws Rejection if the revision is invalid, or the server is needed and unreachable
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public Route route(Mirror mirror, String revision, Duration allotted)
            throws Rejection, InterruptedException {
        return switch (mode(mirror)) {
            case CACHE -> Route.MIRROR;
            case PROXY -> revision.isEmpty() ? Route.SERVER : sourceOf(mirror, revision);
            case VERIFY ->
                    revision.isEmpty() ? verified(mirror, allotted) : sourceOf(mirror, revision);
        };
    }

    /**
     * Decides which server answers a read at a revision. A revision that the server has already
     * served must not make the client wait for the mirror.
     */
    private Route sourceOf(Mirror mirror, String text) throws Rejection {
        Revision revision = ListOptions.revision(text, mirror.revision());
        return served.isAhead(mirror) && !revision.isAfter(served.floor(mirror))
                ? Route.SERVER
                : Route.MIRROR;
    }

    private Route verified(Mirror mirror, Duration allotted)
            throws Rejection, InterruptedException {
        ResourceType type = mirror.type().orElse(null);
        if (type == null || mirror.snapshot().isEmpty()) {
            return Route.SERVER;
        }
        return switch (probe(mirror, type, allotted)) {
            case Result.Success(var page) ->
                    mirror.await(page.revision(), revisionWait.within(allotted))
                            ? Route.VERIFIED_MIRROR
                            : Route.SERVER;
            case Result.Failed(var failure) -> throw new Rejection(UpstreamProxy.status(failure));
        };
    }

    private Result<ListMeta> probe(Mirror mirror, ResourceType type, Duration allotted)
            throws Rejection, InterruptedException {
        ResourceCollection collection =
                new ResourceCollection(type, mirror.scope().selection(), ObjectShape.plain());
        ListRequest request = new ListRequest(collection, null, 1, null);
        try {
            return probes.join(mirror, () -> api.list(request, _ -> {}))
                    .orElseThrow(() -> new Rejection(StatusErrors.tooManyProxied()))
                    .await(allotted);
        } catch (TimeoutException overdue) {
            throw new Rejection(Reply.OVERDUE);
        }
    }

    private ReadMode mode(Mirror mirror) {
        return policies.of(mirror.scope()).mode();
    }
}
