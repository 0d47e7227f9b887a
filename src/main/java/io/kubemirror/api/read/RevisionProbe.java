package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;

/**
 * Requests the present revision of a collection from the API server with a list of one object,
 * which callers share.
 *
 * <p>A caller never joins a request that is already running, because its result may be older than
 * something the caller already knows, such as its own write. All callers that arrive during a
 * request wait for the next one, which starts when the current one ends. So any number of callers
 * causes at most two requests at a time per mirror, one running and one waiting, and each caller
 * gets a revision that was true after its call (list-watch.md#fr-4). Rejected: joining the running
 * request, as caches usually do, which halves the cost and breaks that guarantee.
 */
public final class RevisionProbe {

    private static final CompletableFuture<?> DONE = CompletableFuture.completedFuture(null);

    private final Source api;
    private final Executor threads;

    /** The last request for each mirror, until it ends. Guarded by this. */
    private final Map<Mirror, SharedRequest> last = new HashMap<>();

    /** A request that callers join until it starts. */
    private record SharedRequest(
            AtomicBoolean started, CompletableFuture<Result<ListMeta>> result) {}

    /**
     * Creates a probe.
     *
     * @param threads runs each task immediately, on its own thread
     */
    public RevisionProbe(Source api, Executor threads) {
        this.api = api;
        this.threads = threads;
    }

    /**
     * Returns the revision that the API server has after the call.
     *
     * @param allotted the maximum time to wait
     * @throws Rejection if it is not known in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    Revision newest(Mirror mirror, Duration allotted) throws Rejection, InterruptedException {
        ResourceType type = mirror.type().orElse(null);
        if (type == null || !allotted.isPositive()) {
            throw new Rejection(Reply.OVERDUE);
        }
        try {
            return switch (join(mirror, type).get(allotted.toNanos(), TimeUnit.NANOSECONDS)) {
                case Result.Success(var list) -> list.revision();
                case Result.Failed(var failure) -> throw new Rejection(status(failure));
            };
        } catch (TimeoutException overdue) {
            throw new Rejection(Reply.OVERDUE);
        } catch (ExecutionException bug) {
            throw new IllegalStateException("a shared request failed", bug.getCause());
        }
    }

    /** Joins a request that has not started yet. It goes on if nobody waits for it. */
    synchronized CompletableFuture<Result<ListMeta>> join(Mirror mirror, ResourceType type) {
        SharedRequest before = last.get(mirror);
        if (before != null && !before.started().get()) {
            return before.result();
        }
        AtomicBoolean started = new AtomicBoolean();
        CompletableFuture<Result<ListMeta>> result =
                (before == null ? DONE : before.result())
                        .handleAsync(
                                (_, _) -> {
                                    started.set(true);
                                    return request(mirror, type);
                                },
                                threads);
        SharedRequest next = new SharedRequest(started, result);
        last.put(mirror, next);
        var _ = result.whenComplete((_, _) -> remove(mirror, next));
        return result;
    }

    private synchronized void remove(Mirror mirror, SharedRequest ended) {
        last.remove(mirror, ended);
    }

    /** Requests the revision on the calling thread. */
    private Result<ListMeta> request(Mirror mirror, ResourceType type) {
        ResourceCollection collection =
                new ResourceCollection(type, mirror.scope().selection(), ObjectShape.plain());
        return api.list(new ListRequest(collection, null, 1, null), _ -> {});
    }

    /** Returns the Status that is sent to the client when the API server did not respond. */
    public static Status status(Failure failure) {
        return failure instanceof Failure.Refused(Status status) && status.code() >= 400
                ? status
                : StatusErrors.unavailable(failure.summary());
    }
}
