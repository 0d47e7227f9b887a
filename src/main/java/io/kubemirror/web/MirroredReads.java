package io.kubemirror.web;

import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;

/** Answers gets, lists and watches of what is mirrored. */
final class MirroredReads {

    private final CollectionRequests requests;
    private final Gets gets;
    private final Lists lists;
    private final Watches watches;
    private final Answerers answerers;

    MirroredReads(
            CollectionRequests requests,
            Gets gets,
            Lists lists,
            Watches watches,
            Answerers answerers) {
        this.requests = requests;
        this.gets = gets;
        this.lists = lists;
        this.watches = watches;
        this.answerers = answerers;
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
            Wire wire = wire(exchange);
            ListOptions options = CollectionRequests.named(item.name(), options(wire, exchange));
            watch(path, resource, wire, options, exchange);
        } else {
            Representation.choose(exchange.accept(), Representation.OF_DOCUMENTS);
            gets.answer(resource, item, exchange);
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
            Wire wire = wire(exchange);
            watch(path, resource, wire, options(wire, exchange), exchange);
        } else {
            Representation.choose(exchange.accept(), Representation.OF_DOCUMENTS);
            CollectionRequest wanted = requests.list(resource, path, exchange.query());
            if (answerers.isMirror(wanted, exchange)) {
                Page page = lists.read(wanted, exchange.allotted());
                HttpServletResponse response = exchange.response();
                response.setHeader(Admission.REVISION, page.revision().digits());
                response.setContentType("application/json");
                new ListDocument(wanted.type(), page).write(response.getOutputStream());
            }
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
        // By a deprecated path no revision means any (PA-9).
        answerers.admission().admit(wanted.mirror(), !deprecated && wanted.isForNewest(), exchange);
        watches.serve(wanted, wire, exchange);
    }

    private static Wire wire(Exchange exchange) throws Rejection {
        Representation chosen = Representation.choose(exchange.accept(), Representation.OF_WATCHES);
        return chosen == Representation.EVENT_STREAM ? Wire.SERVER_SENT_EVENTS : Wire.JSON_LINES;
    }

    /** The options, whose revision a browser that connects again overrides (SE-5, SE-6). */
    private static ListOptions options(Wire wire, Exchange exchange) throws Rejection {
        boolean sent = wire == Wire.SERVER_SENT_EVENTS;
        ListOptions options = ListOptions.decode(exchange.query(), sent);
        String last = exchange.request().getHeader("Last-Event-ID");
        return sent && last != null && !last.isEmpty() ? options.resumedAfter(last) : options;
    }
}
