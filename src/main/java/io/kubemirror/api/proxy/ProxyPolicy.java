package io.kubemirror.api.proxy;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RevisionParameter;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.ReadMode;
import io.kubemirror.api.read.ReadPolicies;
import io.kubemirror.api.read.ReadSource;
import io.kubemirror.api.read.RevisionWait;
import io.kubemirror.api.read.ServedRevisions;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ObjectShape;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.ListOutcome;
import io.kubemirror.upstream.ListRequest;
import io.kubemirror.upstream.ResourceCollection;
import io.kubemirror.upstream.UpstreamApi;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;

/**
 * Decides which reads the API server has to answer (list-watch.md#fr-2 to #fr-4).
 *
 * <p>Only those for the newest state are ever referred, and their further pages; and, as long as
 * the mirror is behind what the server's own answers have shown, those that leave the choice of the
 * state to us. Whoever names a state gets it of the mirror.
 *
 * <p>To verify, the server is asked for the present revision by a list of one object, which
 * requests that come together share. The revision of a quiet collection rises all the same, with
 * every change in the cluster, and the mirror hears of it only once a minute; so a verification
 * that does not succeed in time is no fault, and the read is referred.
 */
public final class ProxyPolicy {

    /** More collections than anybody mirrors; each of them is asked for once at a time. */
    private static final int MOST_COLLECTIONS = 10_000;

    private final UpstreamApi api;
    private final ReadPolicies policies;
    private final ServedRevisions served;
    private final RevisionWait revisionWait;
    private final SingleFlight<Mirror, ListOutcome> probes;

    /**
     * Decides by the policies.
     *
     * @param threads runs each task at once, on a thread of its own
     */
    public ProxyPolicy(
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
     * Who answers a list.
     *
     * @param allotted how long the request may take
     * @throws Rejection if the request makes no sense, or the server had to be asked and is away
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    ReadSource source(CollectionRequest wanted, Duration allotted)
            throws Rejection, InterruptedException {
        ListOptions options = wanted.options();
        if (mode(wanted.mirror()) == ReadMode.CACHE || wanted.isExact()) {
            return ReadSource.MIRROR;
        }
        String token = options.paging().token();
        if (token.isEmpty()) {
            return source(wanted.mirror(), options.state().revision(), allotted);
        }
        return options.state().isOpen() && !hasPage(wanted.mirror(), ContinueToken.decode(token))
                ? ReadSource.SERVER
                : ReadSource.MIRROR;
    }

    /** Pages of a list are best answered by whoever answered the first. */
    private boolean hasPage(Mirror mirror, ContinueToken token) {
        Revision revision = token.revision();
        return mode(mirror) == ReadMode.VERIFY
                && revision != null
                && mirror.snapshot(revision).isPresent();
    }

    /**
     * Who answers a get.
     *
     * @param revision the {@code resourceVersion} as it was written, empty if unset
     * @param allotted how long the request may take
     * @throws Rejection if the revision is none, or the server had to be asked and is away
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    ReadSource source(Mirror mirror, String revision, Duration allotted)
            throws Rejection, InterruptedException {
        return switch (mode(mirror)) {
            case CACHE -> ReadSource.MIRROR;
            case PROXY -> revision.isEmpty() ? ReadSource.SERVER : sourceOf(mirror, revision);
            case VERIFY ->
                    revision.isEmpty() ? verified(mirror, allotted) : sourceOf(mirror, revision);
        };
    }

    /** What the server has answered already is nothing that the mirror has to be waited for. */
    private ReadSource sourceOf(Mirror mirror, String text) throws Rejection {
        Revision revision = RevisionParameter.parse(text, mirror.revision());
        return served.isAhead(mirror) && !revision.isAfter(served.floor(mirror))
                ? ReadSource.SERVER
                : ReadSource.MIRROR;
    }

    private ReadSource verified(Mirror mirror, Duration allotted)
            throws Rejection, InterruptedException {
        ResourceType type = mirror.type().orElse(null);
        if (type == null || mirror.snapshot().isEmpty()) {
            return ReadSource.SERVER;
        }
        return switch (probe(mirror, type, allotted)) {
            case ListOutcome.Page page ->
                    mirror.await(page.revision(), revisionWait.within(allotted))
                            ? ReadSource.VERIFIED_MIRROR
                            : ReadSource.SERVER;
            case Failure failure -> throw new Rejection(UpstreamProxy.status(failure));
        };
    }

    private ListOutcome probe(Mirror mirror, ResourceType type, Duration allotted)
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
