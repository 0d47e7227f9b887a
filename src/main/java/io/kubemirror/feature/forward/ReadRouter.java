package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.Floors;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.ReadPlan;
import io.kubemirror.api.read.ReadPlan.OtherAnswer;
import io.kubemirror.api.read.ReadPlan.ReadPlanner;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.read.ReadPolicy.ReadMode;
import io.kubemirror.api.read.ReadPolicy.ReadPolicies;
import io.kubemirror.api.read.RevisionProbe;
import io.kubemirror.api.read.RevisionWait;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Result;

/**
 * Decides which gets and lists the mirror answers, and which are proxied to the API server
 * (list-watch.md#fr-3, #fr-4).
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
    private final Floors floors;
    private final RevisionWait revisionWait;
    private final ProxiedRead proxy;
    private final PassThrough passThrough;

    /** Creates a router. */
    ReadRouter(
            ReadPolicies policies,
            RevisionProbe probe,
            Floors floors,
            RevisionWait revisionWait,
            ProxiedRead proxy,
            PassThrough passThrough) {
        this.policies = policies;
        this.probe = probe;
        this.floors = floors;
        this.revisionWait = revisionWait;
        this.proxy = proxy;
        this.passThrough = passThrough;
    }

    @Override
    public Optional<ReadPlan.FromOther> beyond(RequestPath.Resource resource) {
        return passThrough.reader(resource);
    }

    @Override
    public ReadPlan plan(CollectionRequest wanted, Revision min, Duration allotted)
            throws Rejection, InterruptedException {
        return new MirroredRead(
                        wanted.mirror(), min, allotted, exchange -> proxy.answer(wanted, exchange))
                .list(wanted);
    }

    @Override
    public ReadPlan plan(
            MirroredResource resource, RequestPath.Item item, Revision min, Exchange exchange)
            throws Rejection, InterruptedException {
        Duration allotted = exchange.allotted();
        boolean late = isBehind(resource, item.namespace(), min, allotted);
        // Also of a late resource the API server shows no more than the mirrors do.
        Mirror mirror = resource.mirrorOf(item);
        MirroredRead read =
                new MirroredRead(
                        mirror, min, allotted, one -> proxy.answer(resource, item, mirror, one));
        return late ? read.fromServer() : read.get(exchange.query().text("resourceVersion"));
    }

    /**
     * Returns whether a mirror does not show the answered writes in time, if several mirrors show
     * parts of a resource: an object may have moved there from another one.
     *
     * @param namespace the namespace of the object
     */
    private boolean isBehind(
            MirroredResource resource, String namespace, Revision min, Duration allotted)
            throws InterruptedException {
        if (resource.mirrors().size() == 1) {
            return false;
        }
        for (Mirror mirror : resource.mirrors()) {
            if (mirror.scope().includes(namespace)
                    && policies.of(mirror).mode() == ReadMode.CACHE
                    && mirror.snapshot().isPresent()
                    && floors.await(mirror, min, revisionWait.within(allotted)).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** A read of what a mirror covers. */
    private final class MirroredRead {

        private final Mirror mirror;
        private final Revision min;
        private final Duration allotted;
        private final ReadPolicy policy;
        private final OtherAnswer server;

        /**
         * Creates a read.
         *
         * @param min a revision that the answer must not be before, 0 for any
         * @param allotted the maximum duration of the request
         * @param server how the API server answers, which shows whole objects
         */
        MirroredRead(Mirror mirror, Revision min, Duration allotted, OtherAnswer server) {
            this.mirror = mirror;
            this.min = min;
            this.allotted = allotted;
            this.policy = policies.of(mirror);
            this.server = server;
        }

        ReadPlan fromMirror(boolean verified) {
            return new ReadPlan.FromMirror(
                    mirror, min, verified, exchange -> fromServer().answer().send(exchange));
        }

        /**
         * Returns the plan of a read that the mirror cannot answer in time.
         *
         * @throws Rejection if the mirror leaves out a part of each object, which the API server
         *     would show
         */
        ReadPlan.FromOther fromServer() throws Rejection {
            return switch (policy) {
                case ReadPolicy.Whole _ -> new ReadPlan.FromOther(0, server);
                case ReadPolicy.Partial _ -> throw new Rejection(Reply.OVERDUE);
            };
        }

        /** Decides which server answers a list. */
        ReadPlan list(CollectionRequest wanted) throws Rejection, InterruptedException {
            ListOptions options = wanted.options();
            String token = options.token();
            String revision = options.revision();
            boolean own = wanted.isForMirrorOnly();
            if (wanted.isExact()) {
                return fromMirror(false);
            }
            if (token.isEmpty()) {
                return own ? ownList(revision) : get(revision);
            }
            boolean here =
                    own
                            || policy.mode() == ReadMode.CACHE
                            || !options.isOpen()
                            || hasPage(ContinueToken.decode(token));
            return here ? fromMirror(false) : fromServer();
        }

        /**
         * Decides who answers a list of shards, or one that is sorted or counted. An API server may
         * ignore what it asks for, so the mirror proves to be up to date where the API server would
         * answer (list-watch.md#sh-8, #or-10).
         */
        private ReadPlan ownList(String revision) throws Rejection, InterruptedException {
            return revision.isEmpty() && policy.mode() != ReadMode.CACHE
                    ? verified(true)
                    : fromMirror(false);
        }

        /**
         * Decides which server answers a get, or the first page of a list.
         *
         * @param revision the {@code resourceVersion} as sent by the client, empty if unset
         */
        ReadPlan get(String revision) throws Rejection, InterruptedException {
            if (policy.mode() == ReadMode.CACHE) {
                return fromMirror(false);
            }
            if (!revision.isEmpty()) {
                return isServed(revision) ? fromServer() : fromMirror(false);
            }
            return verified(false);
        }

        /**
         * The mirror answers if it reaches in time the revision that the API server has now.
         *
         * @param own whether nothing else can answer, so that the mirror is compared with the API
         *     server if nothing changes in it
         */
        private ReadPlan verified(boolean own) throws Rejection, InterruptedException {
            ResourceType type = mirror.type().orElse(null);
            if (type == null || mirror.snapshot().isEmpty()) {
                return fromServer();
            }
            return switch (probe.newest(mirror, type, allotted)) {
                case Result.Success(var page) ->
                        isReached(page.revision(), own) ? fromMirror(true) : fromServer();
                case Result.Failed(var failure) ->
                        throw new Rejection(PassThroughErrors.ofRead(failure));
            };
        }

        private boolean isReached(Revision revision, boolean own) throws InterruptedException {
            Duration longest = revisionWait.within(allotted);
            return own
                    ? revisionWait.isReached(mirror, revision, longest)
                    : mirror.await(revision, longest);
        }

        /**
         * Whether the API server has shown a revision that the mirror has not reached. It must not
         * make the client wait for the mirror.
         */
        private boolean isServed(String text) throws Rejection {
            Revision revision = ListOptions.revision(text, mirror.revision());
            Revision floor = floors.of(mirror);
            return floor.isAfter(mirror.revision()) && !revision.isAfter(floor);
        }

        /**
         * Returns whether the mirror can serve the next page. A page is best served by the server
         * that served the first one.
         */
        private boolean hasPage(ContinueToken token) {
            Revision revision = token.revision();
            return policy.mode() == ReadMode.VERIFY
                    && revision != null
                    && mirror.snapshot(revision).isPresent();
        }
    }
}
