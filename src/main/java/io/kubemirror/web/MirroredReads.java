package io.kubemirror.web;

import io.kubemirror.model.KubeObject;

import java.io.IOException;

/** Answers gets, lists and watches of what is mirrored. */
final class MirroredReads {

    private final CollectionRequests requests;
    private final Gets gets;
    private final Lists lists;
    private final Watches watches;

    MirroredReads(CollectionRequests requests, Gets gets, Lists lists, Watches watches) {
        this.requests = requests;
        this.gets = gets;
        this.lists = lists;
        this.watches = watches;
    }

    /**
     * Answers a request for one object.
     *
     * @throws Rejection if it cannot be answered
     * @throws IOException if the client is gone
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    void answer(RequestPath.Item item, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (item.deprecatedWatch()) {
            var path = new RequestPath.Collection(item.resource(), item.namespace(), true);
            Wire wire = wire(resource, exchange);
            ListOptions options = CollectionRequests.named(item.name(), options(wire, exchange));
            watch(path, resource, wire, options, exchange);
        } else {
            boolean builtIn = resource.type().builtIn();
            Representation form = Representation.choose(exchange.accept(), Offer.OBJECT, builtIn);
            KubeObject object = gets.read(resource, item, exchange.query(), exchange.allotted());
            Delivery.send(new ObjectDocument(resource.type(), object), form, exchange);
        }
    }

    /**
     * Answers a request for a collection.
     *
     * @throws Rejection if it cannot be answered
     * @throws IOException if the client is gone
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    void answer(RequestPath.Collection path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (path.deprecatedWatch() || exchange.query().isOn("watch")) {
            Wire wire = wire(resource, exchange);
            watch(path, resource, wire, options(wire, exchange), exchange);
        } else {
            boolean builtIn = resource.type().builtIn();
            Representation form = Representation.choose(exchange.accept(), Offer.LIST, builtIn);
            CollectionRequest wanted = requests.list(resource, path, exchange.query());
            Page page = lists.read(wanted, exchange.allotted());
            Delivery.send(new ListDocument(wanted.type(), page), form, exchange);
        }
    }

    private void watch(
            RequestPath.Collection path,
            MirroredResource resource,
            Wire wire,
            ListOptions options,
            Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        boolean deprecated = path.deprecatedWatch() && !exchange.query().isOn("watch");
        CollectionRequest wanted =
                deprecated
                        ? requests.deprecatedWatch(resource, path, options)
                        : requests.watch(resource, path, options.withWatchDefaults());
        watches.serve(wanted, wire, exchange);
    }

    private static Wire wire(MirroredResource resource, Exchange exchange) throws Rejection {
        boolean builtIn = resource.type().builtIn();
        return Representation.choose(exchange.accept(), Offer.WATCH, builtIn).wire();
    }

    /** The options, whose revision a browser that connects again overrides (SE-5, SE-6). */
    private static ListOptions options(Wire wire, Exchange exchange) throws Rejection {
        boolean sent = wire == Wire.SERVER_SENT_EVENTS;
        ListOptions options = ListOptions.decode(exchange.query(), sent);
        String last = exchange.request().getHeader("Last-Event-ID");
        return sent && last != null && !last.isEmpty() ? options.resumedAfter(last) : options;
    }
}
