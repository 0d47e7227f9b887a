package io.kubemirror.api;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.DocumentEncoder;
import io.kubemirror.api.encode.EntityTag;
import io.kubemirror.api.encode.EntityTags;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.encode.ResponseWriter;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.ResponseForm;
import io.kubemirror.api.http.SupportedMediaTypes;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.proxy.ReadRouter;
import io.kubemirror.api.read.CollectionRequestParser;
import io.kubemirror.api.read.GetResolver;
import io.kubemirror.api.read.ListResolver;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.SnapshotPin;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.watch.WatchService;
import io.kubemirror.api.watch.WatchSession;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Extent;
import io.kubemirror.model.ResourceType;

import java.io.IOException;
import java.util.Optional;

/** Answers get, list, and watch requests for mirrored resources. */
final class MirroredResourceHandler {

    private final CollectionRequestParser requests;
    private final GetResolver gets;
    private final ListResolver lists;
    private final WatchService watches;
    private final DocumentEncoder encoder;
    private final ReadRouter router;

    MirroredResourceHandler(
            CollectionRequestParser requests,
            GetResolver gets,
            ListResolver lists,
            WatchService watches,
            DocumentEncoder encoder,
            ReadRouter router) {
        this.requests = requests;
        this.gets = gets;
        this.lists = lists;
        this.watches = watches;
        this.encoder = encoder;
        this.router = router;
    }

    /**
     * Answers a request for one object.
     *
     * @return the watch that is the rest of the response, if there is one
     * @throws Rejection if the request is refused
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    Optional<WatchSession> answer(
            RequestPath.Item item, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (item.deprecatedWatch()) {
            var path = new RequestPath.Collection(item.resource(), item.namespace(), true);
            Representation chosen = choose(resource, SupportedMediaTypes.WATCH, exchange);
            ListOptions options =
                    CollectionRequestParser.named(item.name(), options(chosen.framing(), exchange));
            return watch(path, resource, chosen, options, exchange);
        }
        get(item, resource, exchange);
        return Optional.empty();
    }

    private void get(RequestPath.Item item, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        ResourceType type = resource.type();
        Representation chosen = choose(resource, SupportedMediaTypes.OBJECT, exchange);
        Mirror mirror = gets.locate(resource, item, exchange.query());
        if (router.routedToMirror(resource, item, mirror, exchange)) {
            GetResolver.FoundObject found = gets.read(type, item, mirror, exchange);
            ResponseForm wanted =
                    present(type, mirror, chosen, SupportedMediaTypes.OBJECT, exchange);
            exchange.response().setHeader(StalenessPolicy.REVISION, found.revision().digits());
            EntityTag tag = encoder.tags().of(wanted, found.object());
            ResponseWriter.send(
                    encoder.object(wanted, found.object()), wanted.indented(), tag, exchange);
        }
    }

    /**
     * Answers a request for a collection.
     *
     * @return the watch that is the rest of the response, if there is one
     * @throws Rejection if the request is refused
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    Optional<WatchSession> answer(
            RequestPath.Collection path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (path.deprecatedWatch() || exchange.query().isOn("watch")) {
            Representation chosen = choose(resource, SupportedMediaTypes.WATCH, exchange);
            return watch(path, resource, chosen, options(chosen.framing(), exchange), exchange);
        }
        list(path, resource, exchange);
        return Optional.empty();
    }

    private void list(RequestPath.Collection path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        ResourceType type = resource.type();
        Representation chosen = choose(resource, SupportedMediaTypes.LIST, exchange);
        CollectionRequest wanted = requests.list(resource, path, exchange.query());
        ResponseForm shown =
                present(type, wanted.mirror(), chosen, SupportedMediaTypes.LIST, exchange);
        if (router.routedToMirror(wanted, exchange)) {
            long history = EntityTags.history(wanted.mirror());
            ListPage page = lists.read(wanted, exchange.allotted());
            exchange.response().setHeader(StalenessPolicy.REVISION, page.revision().digits());
            EntityTag tag = encoder.tags().of(shown, wanted, history, page);
            SnapshotPin pin =
                    lists.pin(
                            wanted.mirror(),
                            page.revision(),
                            () -> Thread.ofVirtual().start(exchange::abort));
            try (pin) {
                ResponseWriter.send(encoder.list(shown, page), shown.indented(), tag, exchange);
            }
        }
    }

    private Optional<WatchSession> watch(
            RequestPath.Collection path,
            MirroredResource resource,
            Representation chosen,
            ListOptions options,
            Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        boolean deprecated = path.deprecatedWatch() && !exchange.query().isOn("watch");
        CollectionRequest wanted =
                deprecated
                        ? requests.deprecatedWatch(resource, path, options)
                        : requests.watch(resource, path, options.withWatchDefaults());
        // On a deprecated path an absent revision means any revision (list-watch.md#pa-9).
        router.staleness().admit(wanted.mirror(), !deprecated && wanted.isForNewest(), exchange);
        ResourceType type = resource.type();
        ResponseForm shown =
                present(type, wanted.mirror(), chosen, SupportedMediaTypes.WATCH, exchange);
        return watches.serve(
                wanted, new FrameEncoder(encoder.objects(shown), shown.form()), exchange);
    }

    private static Representation choose(
            MirroredResource resource, SupportedMediaTypes mediaTypes, Exchange exchange)
            throws Rejection {
        Representation chosen =
                Representation.choose(exchange.accept(), mediaTypes, resource.type().builtIn());
        exchange.note().representation(chosen);
        return chosen;
    }

    /**
     * Returns the response form that the mirror can provide, which may be less than the client
     * chose.
     */
    private static ResponseForm present(
            ResourceType type,
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
                            Representation.chooseMetadata(exchange.accept(), mediaTypes, type);
                };
        exchange.note().representation(form);
        boolean indented = exchange.isIndented(form.clause());
        return new ResponseForm(type, extent, form, exchange.query(), indented);
    }

    /**
     * Returns the options. A browser that reconnects overrides their revision (list-watch.md#se-5,
     * #se-6).
     */
    private static ListOptions options(WatchFraming framing, Exchange exchange) throws Rejection {
        boolean sent = framing == WatchFraming.SERVER_SENT_EVENTS;
        ListOptions options = ListOptions.decode(exchange.query(), sent);
        String last = exchange.request().getHeader("Last-Event-ID");
        return sent && last != null && !last.isEmpty() ? options.resumedAfter(last) : options;
    }
}
