package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.DocumentEncoder;
import io.kubemirror.api.encode.DocumentEncoder.ResponseForm;
import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.query.ListArrangement;
import io.kubemirror.api.read.MirrorReader;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.OnDemandTypes;
import io.kubemirror.api.read.OnDemandTypes.Presence;
import io.kubemirror.api.read.ReadPlan;
import io.kubemirror.api.read.ReadPlan.ReadPlanner;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.server.RequestHandler.Admission;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.model.Revision;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves gets, lists, and watches of mirrored resources, and lets another server answer what the
 * mirrors do not cover or cannot render, if one may.
 *
 * <p>The mirrors are those that were found when it was decided who answers. One on demand that has
 * ended since does not advance any more, so what needs a later state comes from the API server, or
 * the client tries again.
 */
final class ResourceController {

    private static final Logger log = LoggerFactory.getLogger(ResourceController.class);

    private final OnDemandTypes onDemand;
    private final MirrorReader reader;
    private final DocumentEncoder encoder;
    private final ReadPlanner planner;
    private final RequestExecutor executor;
    private final StalenessPolicy staleness;
    private final WatchRequests watches;

    /**
     * Creates a controller.
     *
     * @param encoder knows what mirrors can render
     * @param planner knows what else may answer
     * @param executor charges what another server answers
     */
    ResourceController(
            OnDemandTypes onDemand,
            MirrorReader reader,
            DocumentEncoder encoder,
            ReadPlanner planner,
            RequestExecutor executor,
            StalenessPolicy staleness,
            WatchRequests watches) {
        this.onDemand = onDemand;
        this.reader = reader;
        this.encoder = encoder;
        this.planner = planner;
        this.executor = executor;
        this.staleness = staleness;
        this.watches = watches;
    }

    /**
     * Sends an object or a list, or opens a watch.
     *
     * @param admission has the mirrors of the resource
     * @return the watch that is the rest of the response, if there is one
     * @throws Rejection if the request is refused
     * @throws IOException if the client or the other server has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    Optional<WatchConnection> read(
            RequestPath.OfResource path, Admission admission, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (onDemand.use(path.resource()) == Presence.PENDING) {
            exchange.requireGet();
            onDemand.demand(path.resource());
            throw new Rejection(
                    StatusErrors.initializing(
                            "the mirror of " + path.resource().plural() + " starts", 1));
        }
        return read(path, checked(find(path, admission.mirrors()), exchange), exchange);
    }

    private MirroredResource find(RequestPath.OfResource path, List<Mirror> mirrors)
            throws Rejection {
        boolean named = path instanceof RequestPath.Item;
        return reader.directory()
                .find(mirrors, path.resource(), !path.namespace().isEmpty(), named);
    }

    private static MirroredResource checked(MirroredResource resource, Exchange exchange)
            throws Rejection {
        exchange.note().resource(resource.name());
        // Every response from here on warns about a deprecated type, including errors.
        resource.warnings().forEach(warning -> exchange.response().addHeader("Warning", warning));
        exchange.requireGet();
        return resource;
    }

    /**
     * Answers from the mirror. What it does not cover is passed on, and so is what it cannot render
     * (list-watch.md#ne-6, #ne-22), unless it cannot be.
     */
    private Optional<WatchConnection> read(
            RequestPath.OfResource path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        ReadPlan.FromOther other = planner.beyond(path.resource()).orElse(null);
        if (other != null && !encoder.isRendered(resource.type(), exchange)) {
            try {
                return send(other, exchange);
            } catch (Rejection unsent) {
                log.debug("A read is not passed on: {}", unsent.toString());
            }
        }
        try {
            return fromMirrors(path, resource, exchange);
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
                exchange,
                other.memory(),
                one -> {
                    other.answer().send(one);
                    return Optional.empty();
                });
    }

    private Optional<WatchConnection> fromMirrors(
            RequestPath.OfResource path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (path.isWatch(exchange.query())) {
            return watches.open(path, resource, exchange);
        }
        switch (path) {
            case RequestPath.Item item -> get(item, resource, exchange);
            case RequestPath.Collection collection -> list(collection, resource, exchange);
        }
        return Optional.empty();
    }

    private void get(RequestPath.Item item, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        ListArrangement.refuse(exchange.query(), "the response is one object");
        ResponseForm chosen = encoder.choose(resource.type(), exchange);
        Revision min = exchange.minRevision();
        MirrorReader.check(item, exchange.query());
        switch (planner.plan(resource, item, min, exchange)) {
            case ReadPlan.FromOther other -> other.answer().send(exchange);
            case ReadPlan.FromMirror mirror -> get(item, resource, chosen, mirror, exchange);
        }
    }

    private void get(
            RequestPath.Item item,
            MirroredResource resource,
            ResponseForm chosen,
            ReadPlan.FromMirror plan,
            Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        Mirror mirror = plan.mirror();
        boolean newest = exchange.query().text("resourceVersion").isEmpty();
        admit(plan, newest, exchange);
        MirrorReader.FoundObject found;
        try {
            found = reader.read(resource.type(), item, plan, exchange).orElse(null);
        } catch (Rejection missing) {
            admit(plan, newest, exchange);
            throw missing;
        }
        if (found == null) {
            plan.otherwise().send(exchange);
            return;
        }
        admit(plan, newest, exchange);
        ResponseForm shown = encoder.present(chosen, mirror, exchange);
        exchange.response().setHeader(StalenessPolicy.REVISION, found.revision().digits());
        encoder.send(shown, found.object(), exchange);
    }

    private void list(RequestPath.Collection path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        ResponseForm chosen = encoder.choose(resource.type(), exchange);
        ListOptions options = ListOptions.decode(exchange.query(), false);
        options.checkList();
        CollectionRequest wanted =
                arranged(resource.select(path.namespace(), options), exchange.query());
        ResponseForm shown = encoder.present(chosen, wanted.mirror(), exchange);
        switch (planner.plan(wanted, exchange.minRevision(), exchange.allotted())) {
            case ReadPlan.FromOther other -> other.answer().send(exchange);
            case ReadPlan.FromMirror mirror -> list(wanted, shown, mirror, exchange);
        }
    }

    private void list(
            CollectionRequest wanted,
            ResponseForm shown,
            ReadPlan.FromMirror plan,
            Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        admit(plan, wanted.isForNewest(), exchange);
        long history = DocumentEncoder.history(wanted.mirror());
        ListPage page = reader.read(wanted, plan.min(), exchange.allotted()).orElse(null);
        if (page == null) {
            plan.otherwise().send(exchange);
            return;
        }
        admit(plan, wanted.isForNewest(), exchange);
        exchange.response().setHeader(StalenessPolicy.REVISION, page.revision().digits());
        Pin pin =
                MirrorReader.pin(
                        wanted.mirror(),
                        page.revision(),
                        () -> Thread.ofVirtual().name("abort").start(exchange::abort));
        try (pin) {
            encoder.send(shown, wanted, history, page, exchange);
        }
    }

    private CollectionRequest arranged(CollectionRequest plain, Query query) throws Rejection {
        ListArrangement arrangement =
                ListArrangement.read(query, plain.mirror().scope()).orElse(null);
        return arrangement == null ? plain : plain.with(arrangement);
    }

    /**
     * Writes the freshness headers of what the mirror answers, and checks whether it may. Called
     * before the read, so that a client learns at once that the mirror is too old, and after it,
     * because the read may have waited.
     */
    private void admit(ReadPlan.FromMirror plan, boolean newest, Exchange exchange)
            throws Rejection {
        if (plan.verified()) {
            staleness.verified(plan.mirror(), exchange);
        } else {
            staleness.admit(plan.mirror(), newest, exchange);
        }
    }
}
