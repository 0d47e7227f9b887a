package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.DocumentEncoder;
import io.kubemirror.api.encode.DocumentEncoder.EntityTag;
import io.kubemirror.api.encode.DocumentEncoder.ResponseForm;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.encode.ListExtension.ListArrangement;
import io.kubemirror.api.encode.ListExtension.ListExtensions;
import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.encode.ResponseWriter;
import io.kubemirror.api.encode.SharedBodies;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.MinRevision;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.Representation.SupportedMediaTypes;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.read.MirrorReader;
import io.kubemirror.api.read.MirrorReader.SnapshotPin;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.ReadPlan;
import io.kubemirror.api.read.ReadPlan.ReadPlanner;
import io.kubemirror.api.read.RevisionWait.StartWait;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.api.watch.WatchService;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope.Extent;

/** Answers get, list, and watch requests for mirrored resources. */
public final class MirroredResourceHandler {

    private final MirrorReader reader;
    private final WatchService watches;
    private final DocumentEncoder encoder;
    private final ListExtensions extensions;
    private final ReadPlanner planner;
    private final StartWait start;
    private final StalenessPolicy staleness;
    private final SharedBodies bodies;

    /** Creates a handler. */
    public MirroredResourceHandler(
            MirrorReader reader,
            WatchService watches,
            DocumentEncoder encoder,
            ListExtensions extensions,
            ReadPlanner planner,
            StartWait start,
            StalenessPolicy staleness,
            SharedBodies bodies) {
        this.reader = reader;
        this.watches = watches;
        this.encoder = encoder;
        this.extensions = extensions;
        this.planner = planner;
        this.start = start;
        this.staleness = staleness;
        this.bodies = bodies;
    }

    /**
     * Answers a request.
     *
     * @return the watch that is the rest of the response, if there is one
     * @throws Rejection if the request is refused
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    Optional<WatchConnection> answer(
            RequestPath.OfResource path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (path.isWatch(exchange.query())) {
            return watch(path, resource, exchange);
        }
        switch (path) {
            case RequestPath.Item item -> get(item, resource, exchange);
            case RequestPath.Collection collection -> list(collection, resource, exchange);
        }
        return Optional.empty();
    }

    private void get(RequestPath.Item item, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        Representation chosen = choose(resource, SupportedMediaTypes.OBJECT, exchange);
        Revision min = MinRevision.of(exchange);
        MirrorReader.check(item, exchange.query());
        switch (planner.plan(resource, item, min, exchange)) {
            case ReadPlan.FromOther other -> other.answer().send(exchange);
            case ReadPlan.FromMirror mirror -> get(item, resource, chosen, mirror, exchange);
        }
    }

    private void get(
            RequestPath.Item item,
            MirroredResource resource,
            Representation chosen,
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
        ResponseForm shown =
                present(resource, mirror, chosen, SupportedMediaTypes.OBJECT, exchange);
        exchange.response().setHeader(StalenessPolicy.REVISION, found.revision().digits());
        EntityTag tag = encoder.tag(shown, found.object());
        ResponseWriter.send(
                encoder.object(shown, found.object()), shown.indented(), tag, exchange, bodies);
    }

    private void list(RequestPath.Collection path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        Representation chosen = choose(resource, SupportedMediaTypes.LIST, exchange);
        ListOptions options = ListOptions.decode(exchange.query(), false);
        options.checkList();
        CollectionRequest wanted =
                arranged(resource.select(path.namespace(), options), exchange.query());
        ResponseForm shown =
                present(resource, wanted.mirror(), chosen, SupportedMediaTypes.LIST, exchange);
        switch (planner.plan(wanted, MinRevision.of(exchange), exchange.allotted())) {
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
        EntityTag tag = encoder.tag(shown, wanted, history, page);
        SnapshotPin pin =
                reader.pin(
                        wanted.mirror(),
                        page.revision(),
                        () -> Thread.ofVirtual().name("abort").start(exchange::abort));
        try (pin) {
            ResponseWriter.send(encoder.list(shown, page), shown.indented(), tag, exchange, bodies);
        }
    }

    private CollectionRequest arranged(CollectionRequest plain, Query query) throws Rejection {
        ListArrangement arrangement = extensions.read(query, plain.mirror()).orElse(null);
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

    private Optional<WatchConnection> watch(
            RequestPath.OfResource path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        Representation chosen = choose(resource, SupportedMediaTypes.WATCH, exchange);
        extensions.refuse(exchange.query(), "a watch has the order of its events");
        ListOptions options = options(chosen.framing(), exchange);
        if (path instanceof RequestPath.Item item) {
            options = options.named(item.name());
        }
        // A deprecated path follows the rules of lists, and an absent revision means any revision
        // (list-watch.md#pa-9).
        boolean deprecated = path.deprecatedWatch() && !exchange.query().isOn("watch");
        if (deprecated) {
            options.checkList();
        } else {
            options = options.withWatchDefaults();
            options.checkWatch();
        }
        CollectionRequest wanted = resource.select(path.namespace(), options);
        start.await(wanted.mirror(), exchange.allotted());
        staleness.admit(wanted.mirror(), !deprecated && wanted.isForNewest(), exchange);
        FrameEncoder frames = frames(resource, wanted, chosen, exchange);
        return watches.serve(
                wanted,
                frames,
                exchange,
                state -> staleness.refresh(wanted.mirror(), state, exchange));
    }

    /** A watch that may begin. */
    public record SelectedWatch(CollectionRequest wanted, FrameEncoder frames) {}

    /**
     * Selects a resource for one of several watches. Uses what was parsed of the request, but not
     * the request and the response themselves: the client may be gone, and its connection may serve
     * the next request.
     *
     * @param options the options of a watch, with the revision to continue after if there is one
     * @param maxAge the greatest age of the mirror that the client accepts, empty for any
     * @throws Rejection if the resource cannot be watched
     * @throws InterruptedException if the thread is interrupted while it waits for the mirror
     */
    public SelectedWatch select(
            MirroredResource resource,
            ListOptions options,
            Optional<Duration> maxAge,
            Exchange exchange)
            throws Rejection, InterruptedException {
        Representation chosen = choose(resource, SupportedMediaTypes.WATCH, exchange);
        ListOptions watch = options.withWatchDefaults();
        watch.checkWatch();
        CollectionRequest wanted = resource.select(exchange.query().text("namespace"), watch);
        start.await(wanted.mirror(), exchange.allotted());
        staleness.check(wanted.mirror(), wanted.isForNewest(), maxAge);
        return new SelectedWatch(wanted, frames(resource, wanted, chosen, exchange));
    }

    /** Returns the encoder of the events of a watch. */
    private FrameEncoder frames(
            MirroredResource resource,
            CollectionRequest wanted,
            Representation chosen,
            Exchange exchange)
            throws Rejection {
        ResponseForm shown =
                present(resource, wanted.mirror(), chosen, SupportedMediaTypes.WATCH, exchange);
        return new FrameEncoder(encoder.objects(shown), shown.form(), bodies);
    }

    /** Returns whether only a mirror answers a request: a watch, or what no API server knows. */
    boolean isForMirror(RequestPath.OfResource path, Query query) {
        return path.isWatch(query) || extensions.areForMirror(query);
    }

    /**
     * Returns whether the mirror has what the client prefers: a media type and a shape that
     * kubemirror writes as the API server does.
     */
    boolean isRendered(RequestPath.OfResource path, MirroredResource resource, Exchange exchange) {
        SupportedMediaTypes mediaTypes =
                path.isWatch(exchange.query())
                        ? SupportedMediaTypes.WATCH
                        : switch (path) {
                            case RequestPath.Item _ -> SupportedMediaTypes.OBJECT;
                            case RequestPath.Collection _ -> SupportedMediaTypes.LIST;
                        };
        try {
            Representation chosen = choose(resource, mediaTypes, exchange);
            return encoder.isNative(chosen.shape(), resource.type());
        } catch (Rejection unknown) {
            return false;
        }
    }

    private Representation choose(
            MirroredResource resource, SupportedMediaTypes mediaTypes, Exchange exchange)
            throws Rejection {
        Representation chosen =
                Representation.choose(
                        exchange.parsed().accept(),
                        mediaTypes,
                        encoder.shapes(),
                        resource.type().builtIn());
        exchange.note().representation(chosen);
        return chosen;
    }

    /**
     * Returns the response form that the mirror can provide, which may be less than the client
     * chose.
     */
    private ResponseForm present(
            MirroredResource resource,
            Mirror mirror,
            Representation chosen,
            SupportedMediaTypes mediaTypes,
            Exchange exchange)
            throws Rejection {
        Extent extent = mirror.scope().extent();
        Representation form =
                switch (extent) {
                    case WHOLE -> chosen;
                    case METADATA ->
                            Representation.chooseMetadata(
                                    exchange.parsed().accept(),
                                    mediaTypes,
                                    encoder.shapes(),
                                    resource.type());
                };
        exchange.note().representation(form);
        return new ResponseForm(
                resource.type(),
                extent,
                form,
                exchange.query(),
                exchange.parsed().isIndented(form.clause()));
    }

    /**
     * Returns the options. A browser that reconnects overrides their revision (list-watch.md#se-5,
     * #se-6).
     */
    private ListOptions options(WatchFraming framing, Exchange exchange) throws Rejection {
        boolean sent = framing == WatchFraming.SERVER_SENT_EVENTS;
        ListOptions options =
                ListOptions.decode(exchange.query(), sent, sent || watches.catchesUp(exchange));
        String last = exchange.request().getHeader("Last-Event-ID");
        return sent && last != null && !last.isEmpty() ? options.resumedAfter(last) : options;
    }
}
