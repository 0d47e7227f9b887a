package io.kubemirror.feature.forward;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.MirrorReader;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.ReadPlan;
import io.kubemirror.api.read.ReadPlan.ReadPlanner;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.read.ReadPolicy.ReadMode;
import io.kubemirror.api.read.ReadPolicy.ReadPolicies;
import io.kubemirror.api.read.ReadPolicy.ReadsAtStart;
import io.kubemirror.api.read.RevisionProbe;
import io.kubemirror.api.read.RevisionWait;
import io.kubemirror.api.read.StartWait;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Result;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Decides which gets and lists the mirror answers, and which are proxied to the API server
 * (list-watch.md#fr-2 to #fr-4).
 *
 * <p>Only reads of the most recent state and their further pages are proxied. While the mirror is
 * behind a revision that a proxied response has shown, reads that accept any state are proxied too.
 * Reads that name a revision are served by the mirror. A read that would show a state from before
 * an answered write waits, and is proxied if the mirror is not in time (list-watch.md#ry-1).
 *
 * <p>To verify the mirror, the router requests the current revision from the server with a list of
 * one object. Concurrent requests share it. The revision of a quiet collection rises with every
 * change in the cluster, and the mirror hears of it only once a minute. A verification that does
 * not succeed in time is therefore no failure; the read is proxied.
 */
public final class ReadRouter implements ReadPlanner {

    private final ReadPolicies policies;
    private final RevisionProbe probe;
    private final ServedRevisions served;
    private final AnsweredWrites writes;
    private final RevisionWait revisionWait;
    private final StartWait start;
    private final UpstreamProxy proxy;

    /** Who answers a get or a list (list-watch.md#freshness). */
    sealed interface Route {

        /** The mirror. */
        record FromMirror() implements Route {}

        /**
         * The mirror, which has reached the revision that the API server had when the request
         * arrived.
         */
        record FromVerifiedMirror() implements Route {}

        /**
         * The API server, with whole objects.
         *
         * @param policy the policy of the mirror in whose place it answers
         */
        record FromServer(ReadPolicy.Whole policy) implements Route {}
    }

    private static final Route MIRROR = new Route.FromMirror();

    /** Creates a router. */
    public ReadRouter(
            ReadPolicies policies,
            RevisionProbe probe,
            ServedRevisions served,
            AnsweredWrites writes,
            RevisionWait revisionWait,
            UpstreamProxy proxy) {
        this.policies = policies;
        this.probe = probe;
        this.served = served;
        this.writes = writes;
        this.revisionWait = revisionWait;
        this.start = new StartWait(policies);
        this.proxy = proxy;
    }

    @Override
    public ReadPlan plan(CollectionRequest wanted, Revision min, Duration allotted)
            throws Rejection, InterruptedException {
        return plan(
                route(wanted, min, allotted),
                wanted.mirror(),
                (server, exchange) -> proxy.answer(server, wanted, exchange));
    }

    @Override
    public ReadPlan plan(
            MirroredResource resource, RequestPath.Item item, Revision min, Exchange exchange)
            throws Rejection, InterruptedException {
        Duration allotted = exchange.allotted();
        Optional<Mirror> late = behind(resource, item.namespace(), min, allotted);
        Mirror mirror = late.isPresent() ? late.get() : MirrorReader.locate(resource, item);
        String revision = exchange.query().text("resourceVersion");
        return plan(
                late.isPresent() ? instead(mirror) : route(mirror, revision, min, allotted),
                mirror,
                (server, one) -> proxy.answer(server, resource, item, mirror, one));
    }

    /** A read that the API server answers. */
    @FunctionalInterface
    private interface ServerRead {
        void answer(Route.FromServer route, Exchange exchange)
                throws Rejection, IOException, InterruptedException;
    }

    private ReadPlan plan(Route route, Mirror mirror, ServerRead read) {
        ReadPlan.OtherAnswer otherwise = exchange -> read.answer(instead(mirror), exchange);
        return switch (route) {
            case Route.FromMirror _ -> new ReadPlan.FromMirror(mirror, false, otherwise);
            case Route.FromVerifiedMirror _ -> new ReadPlan.FromMirror(mirror, true, otherwise);
            case Route.FromServer server ->
                    new ReadPlan.FromOther(exchange -> read.answer(server, exchange));
        };
    }

    /**
     * Decides which server answers a list.
     *
     * @param min a revision that the answer must not be before, 0 for any
     * @param allotted the maximum duration of the request
     * @throws Rejection if the request is invalid, or the server is needed and unreachable
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    private Route route(CollectionRequest wanted, Revision min, Duration allotted)
            throws Rejection, InterruptedException {
        ListOptions options = wanted.options();
        Mirror mirror = wanted.mirror();
        String token = options.paging().token();
        boolean own = wanted.isForMirrorOnly();
        if (!own && isProxiedAtStart(wanted)) {
            return instead(mirror);
        }
        start.await(mirror, allotted);
        if (wanted.isExact()) {
            return MIRROR;
        }
        if (token.isEmpty()) {
            String revision = options.state().revision();
            return own
                    ? ownRoute(mirror, revision, min, allotted)
                    : route(mirror, revision, min, allotted);
        }
        if (!options.state().isOpen()) {
            return MIRROR;
        }
        ContinueToken page = ContinueToken.decode(token);
        boolean here =
                (own || mode(mirror) == ReadMode.CACHE)
                        ? page.revision() != null || isShown(mirror, "", min, allotted)
                        : hasPage(mirror, page);
        return here ? MIRROR : instead(mirror);
    }

    /**
     * Decides who answers a list of shards, or one that is sorted or counted. An API server may
     * ignore what it asks for, so the mirror proves to be up to date where the API server would
     * answer (list-watch.md#sh-8, #or-10).
     */
    private Route ownRoute(Mirror mirror, String revision, Revision min, Duration allotted)
            throws Rejection, InterruptedException {
        Route route =
                revision.isEmpty() && mode(mirror) != ReadMode.CACHE
                        ? verified(mirror, allotted)
                        : MIRROR;
        return shown(route, mirror, revision, min, allotted);
    }

    /**
     * Returns the route of a read that the mirror cannot answer in time.
     *
     * @throws Rejection if the mirror hides a part of each object, which the API server would show
     *     (list-watch.md#ca-4c)
     */
    private Route.FromServer instead(Mirror mirror) throws Rejection {
        return switch (policies.of(mirror)) {
            case ReadPolicy.Whole whole -> new Route.FromServer(whole);
            case ReadPolicy.Partial _ -> throw new Rejection(Reply.OVERDUE);
        };
    }

    /** Returns the route, unless the mirror does not show in time what clients know. */
    private Route shown(
            Route route, Mirror mirror, String revision, Revision min, Duration allotted)
            throws Rejection, InterruptedException {
        return switch (route) {
            case Route.FromMirror _ ->
                    isShown(mirror, revision, min, allotted) ? route : instead(mirror);
            case Route.FromVerifiedMirror _, Route.FromServer _ -> route;
        };
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
     * @param min a revision that the answer must not be before, 0 for any
     * @param allotted the maximum duration of the request
     * @throws Rejection if the revision is invalid, or the server is needed and unreachable
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    private Route route(Mirror mirror, String revision, Revision min, Duration allotted)
            throws Rejection, InterruptedException {
        if (mirror.snapshot().isEmpty() && isProxiedAtStart(mirror)) {
            return instead(mirror);
        }
        start.await(mirror, allotted);
        Route route =
                switch (mode(mirror)) {
                    case CACHE -> MIRROR;
                    case PROXY -> revision.isEmpty() ? instead(mirror) : sourceOf(mirror, revision);
                    case VERIFY ->
                            revision.isEmpty()
                                    ? verified(mirror, allotted)
                                    : sourceOf(mirror, revision);
                };
        return shown(route, mirror, revision, min, allotted);
    }

    /**
     * Returns a mirror that does not show the answered writes in time, if several mirrors show
     * parts of a resource: an object may have moved there from another one.
     *
     * @param namespace the namespace of the object
     * @param min a revision that the answer must not be before, 0 for any
     * @param allotted the maximum duration of the request
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    private Optional<Mirror> behind(
            MirroredResource resource, String namespace, Revision min, Duration allotted)
            throws Rejection, InterruptedException {
        if (resource.mirrors().size() == 1) {
            return Optional.empty();
        }
        for (Mirror mirror : resource.mirrors()) {
            String held = mirror.scope().selection().namespace();
            boolean may = mirror.members().isEmpty() && (held.isEmpty() || held.equals(namespace));
            if (may && mode(mirror) == ReadMode.CACHE && !isShown(mirror, "", min, allotted)) {
                return Optional.of(mirror);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns whether the API server answers a list because the mirror, which has started on
     * demand, has no content yet, or does not have a state that the API server has shown before.
     */
    private boolean isProxiedAtStart(CollectionRequest wanted) throws Rejection {
        Mirror mirror = wanted.mirror();
        if (!isProxiedAtStart(mirror)) {
            return false;
        }
        String token = wanted.options().paging().token();
        if (!token.isEmpty()) {
            Revision page = ContinueToken.decode(token).revision();
            return page == null ? mirror.snapshot().isEmpty() : isUnknown(mirror, page);
        }
        String revision = wanted.options().state().revision();
        return wanted.isExact()
                ? isUnknown(mirror, ListOptions.revision(revision, mirror.revision()))
                : mirror.snapshot().isEmpty();
    }

    private boolean isProxiedAtStart(Mirror mirror) {
        return policies.of(mirror).start() == ReadsAtStart.PROXIED;
    }

    private static boolean isUnknown(Mirror mirror, Revision exact) {
        return mirror.snapshot().isEmpty()
                || (!exact.isAfter(mirror.revision()) && mirror.snapshot(exact).isEmpty());
    }

    /**
     * Decides which server answers a read at a revision. A revision that the server has already
     * served must not make the client wait for the mirror.
     */
    private Route sourceOf(Mirror mirror, String text) throws Rejection {
        Revision revision = ListOptions.revision(text, mirror.revision());
        return served.isAhead(mirror) && !revision.isAfter(served.floor(mirror))
                ? instead(mirror)
                : MIRROR;
    }

    private Route verified(Mirror mirror, Duration allotted)
            throws Rejection, InterruptedException {
        ResourceType type = mirror.type().orElse(null);
        if (type == null || mirror.snapshot().isEmpty()) {
            return instead(mirror);
        }
        return switch (probe.newest(mirror, type, allotted)) {
            case Result.Success(var page) ->
                    mirror.await(page.revision(), revisionWait.within(allotted))
                            ? new Route.FromVerifiedMirror()
                            : instead(mirror);
            case Result.Failed(var failure) -> throw new Rejection(UpstreamProxy.status(failure));
        };
    }

    /**
     * Waits until a mirror shows what clients know: answered writes, and revisions that the API
     * server has served (list-watch.md#ry-1, #fr-4). A read that names a revision which the mirror
     * has not reached waits for that.
     */
    private boolean isShown(Mirror mirror, String revision, Revision min, Duration allotted)
            throws Rejection, InterruptedException {
        Revision wanted = ListOptions.revision(revision, mirror.revision());
        Revision floor = Revision.later(min, served.floor(mirror));
        return mirror.snapshot().isEmpty()
                || (wanted.isAfter(mirror.revision()) && !floor.isAfter(wanted))
                || writes.await(mirror, floor, revisionWait.within(allotted)).isPresent();
    }

    private ReadMode mode(Mirror mirror) {
        return policies.of(mirror).mode();
    }
}
