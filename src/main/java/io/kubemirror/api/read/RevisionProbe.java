package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;

/**
 * Requests the present revision of a collection from the API server with a list of one object.
 * Concurrent requests share it.
 */
public final class RevisionProbe {

    private final Source api;
    private final SingleFlight<Mirror, Result<ListMeta>> flight;

    /**
     * Creates a probe.
     *
     * @param threads runs each task immediately, on its own thread
     */
    public RevisionProbe(Source api, Executor threads) {
        this.api = api;
        this.flight = new SingleFlight<>(threads);
    }

    /**
     * Returns the revision that the API server has after the call.
     *
     * @param type the type of the mirror's objects
     * @param allotted the maximum time to wait
     * @throws Rejection if it is not known in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    Result<ListMeta> newest(Mirror mirror, ResourceType type, Duration allotted)
            throws Rejection, InterruptedException {
        try {
            return flight.join(mirror, () -> request(mirror, type))
                    .get(allotted.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException overdue) {
            throw new Rejection(Reply.OVERDUE);
        } catch (ExecutionException bug) {
            throw new IllegalStateException("a shared request failed", bug.getCause());
        }
    }

    /**
     * Returns the revision that the API server has after the call, empty if it is not known in
     * time.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    Optional<Revision> newest(Mirror mirror, Duration allotted) throws InterruptedException {
        ResourceType type = mirror.type().orElse(null);
        try {
            return type != null
                            && allotted.isPositive()
                            && newest(mirror, type, allotted) instanceof Result.Success(var list)
                    ? Optional.of(list.revision())
                    : Optional.empty();
        } catch (Rejection unknown) {
            return Optional.empty();
        }
    }

    /** Requests the revision on the calling thread. */
    private Result<ListMeta> request(Mirror mirror, ResourceType type) {
        ResourceCollection collection =
                new ResourceCollection(type, mirror.scope().selection(), ObjectShape.plain());
        return api.list(new ListRequest(collection, null, 1, null), _ -> {});
    }
}
