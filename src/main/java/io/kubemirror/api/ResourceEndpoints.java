package io.kubemirror.api;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.OnDemandTypes;
import io.kubemirror.api.read.ReadPlan;
import io.kubemirror.api.read.ReadPlan.ReadPlanner;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.mirror.Mirror;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Gets, lists, and watches of resources: mirrors answer them, and another server what these do not
 * cover or cannot render, if one may.
 *
 * <p>The mirrors are those that were found when it was decided who answers. One that a reload has
 * removed since does not advance any more, so what needs a later state comes from the API server,
 * or the client tries again.
 */
final class ResourceEndpoints {

    private static final Logger log = LoggerFactory.getLogger(ResourceEndpoints.class);

    private final MirrorDirectory directory;
    private final OnDemandTypes onDemand;
    private final MirroredResourceHandler reads;
    private final ReadPlanner planner;
    private final RequestExecutor executor;

    /**
     * Creates an instance.
     *
     * @param reads answers from mirrors
     * @param planner knows who else may answer
     */
    ResourceEndpoints(
            MirrorDirectory directory,
            OnDemandTypes onDemand,
            MirroredResourceHandler reads,
            ReadPlanner planner,
            RequestExecutor executor) {
        this.directory = directory;
        this.onDemand = onDemand;
        this.reads = reads;
        this.planner = planner;
        this.executor = executor;
    }

    /**
     * Starts a request.
     *
     * @param mirrors those of the resource when it was decided that mirrors answer
     * @throws Rejection if the request is refused at once
     */
    void serve(RequestPath.OfResource path, List<Mirror> mirrors, Exchange exchange)
            throws Rejection {
        // The charge of the connection includes a watch, so thousands can be opened at once.
        int charge = path.isWatch(exchange.query()) ? 0 : ClientMemory.RESPONSE;
        boolean waits = reads.isForMirror(path, exchange.query());
        if (isFirst(path.resource(), waits, mirrors)) {
            executor.start(exchange, charge, () -> answerFirst(path, waits, exchange));
        } else {
            MirroredResource resource = checked(find(path, mirrors), exchange);
            executor.start(exchange, charge, () -> answer(path, resource, exchange));
        }
    }

    /**
     * Whether a request has to start the mirrors of a type on demand, or begins together with the
     * one that does.
     */
    private boolean isFirst(RequestPath.Resource resource, boolean waits, List<Mirror> mirrors) {
        boolean present = onDemand.use(resource, waits);
        boolean current = !mirrors.isEmpty() && mirrors.stream().noneMatch(Mirror::isRemoved);
        return !present || (!current && onDemand.serves(resource));
    }

    private MirroredResource find(RequestPath.OfResource path, List<Mirror> mirrors)
            throws Rejection {
        boolean named = path instanceof RequestPath.Item;
        return directory.find(mirrors, path.resource(), !path.namespace().isEmpty(), named);
    }

    private static MirroredResource checked(MirroredResource resource, Exchange exchange)
            throws Rejection {
        exchange.note().resource(resource.name());
        // Every response warns about a deprecated type, including errors.
        resource.warnings().forEach(warning -> exchange.response().addHeader("Warning", warning));
        exchange.requireGet();
        return resource;
    }

    /**
     * Refuses subresources, which are not served. The response never says that the object is not
     * found, not even where the API server does, because a controller would assume that the object
     * is deleted.
     */
    Rejection refusal(RequestPath.Part path) throws Rejection {
        if (onDemand.use(path.resource(), false)) {
            directory.find(path.resource(), !path.namespace().isEmpty(), true);
        }
        return new Rejection(
                path.isKnown()
                        ? StatusErrors.notPassedOn("serves no subresources")
                        : StatusErrors.noSuchResource());
    }

    /**
     * Reads a type that has no mirror yet. The mirror reads the API server after this request, so
     * that they do not compete for it (list-watch.md#od-1).
     */
    private Optional<WatchConnection> answerFirst(
            RequestPath.OfResource path, boolean waits, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        exchange.requireGet();
        RequestPath.Resource resource = path.resource();
        ReadPlan.FromOther other = planner.beyond(resource).orElse(null);
        try {
            boolean mirrored = onDemand.demand(resource, waits) || directory.has(resource);
            if (!mirrored && other != null) {
                return send(other, exchange);
            }
        } catch (Rejection denied) {
            if (other == null) {
                throw denied;
            }
            // The client may be permitted what kubemirror is not.
            return send(other, exchange);
        }
        try {
            MirroredResource started =
                    onDemand.find(resource, waits, () -> find(path, directory.of(resource)));
            return reads.answer(path, checked(started, exchange), exchange);
        } finally {
            onDemand.answered(resource);
        }
    }

    /**
     * Answers from the mirror. What it does not cover is passed on, and so is what it cannot render
     * (list-watch.md#ne-6, #ne-22), unless it cannot be.
     */
    private Optional<WatchConnection> answer(
            RequestPath.OfResource path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        ReadPlan.FromOther other = planner.beyond(path.resource()).orElse(null);
        if (other != null && !reads.isRendered(path, resource, exchange)) {
            try {
                return send(other, exchange);
            } catch (Rejection unsent) {
                log.debug("A read is not passed on: {}", unsent.toString());
            }
        }
        try {
            return reads.answer(path, resource, exchange);
        } catch (Rejection rejection) {
            if (other == null || !rejection.isBeyondMirror()) {
                throw rejection;
            }
            return send(other, exchange);
        }
    }

    private Optional<WatchConnection> send(ReadPlan.FromOther other, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        return executor.answer(
                other.memory(),
                () -> {
                    other.answer().send(exchange);
                    return Optional.empty();
                });
    }
}
