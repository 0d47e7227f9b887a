package io.kubemirror.web;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Extent;
import io.kubemirror.model.ResourceType;

import java.io.IOException;
import java.util.Optional;

/** Answers gets, lists and watches of what is mirrored. */
final class MirroredReads {

    private final CollectionRequests requests;
    private final Gets gets;
    private final Lists lists;
    private final Watches watches;
    private final Forms forms;
    private final Answerers answerers;

    MirroredReads(
            CollectionRequests requests,
            Gets gets,
            Lists lists,
            Watches watches,
            Forms forms,
            Answerers answerers) {
        this.requests = requests;
        this.gets = gets;
        this.lists = lists;
        this.watches = watches;
        this.forms = forms;
        this.answerers = answerers;
    }

    /**
     * Answers a request for one object.
     *
     * @return the watch that is the rest of the answer, if it is one
     * @throws Rejection if it cannot be answered
     * @throws IOException if the client is gone
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    Optional<ServedWatch> answer(
            RequestPath.Item item, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (item.deprecatedWatch()) {
            var path = new RequestPath.Collection(item.resource(), item.namespace(), true);
            Representation chosen = choose(resource, Offer.WATCH, exchange);
            ListOptions options =
                    CollectionRequests.named(item.name(), options(chosen.wire(), exchange));
            return watch(path, resource, chosen, options, exchange);
        }
        get(item, resource, exchange);
        return Optional.empty();
    }

    private void get(RequestPath.Item item, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        ResourceType type = resource.type();
        Representation chosen = choose(resource, Offer.OBJECT, exchange);
        Mirror mirror = gets.locate(resource, item, exchange.query());
        if (answerers.isMirror(resource, item, mirror, exchange)) {
            Gets.Found found = gets.read(type, item, mirror, exchange);
            Presentation wanted = present(type, mirror, chosen, Offer.OBJECT, exchange);
            exchange.response().setHeader(Admission.REVISION, found.revision().digits());
            EntityTag tag = forms.tags().of(wanted, found.object());
            Delivery.send(forms.object(wanted, found.object()), wanted.indented(), tag, exchange);
        }
    }

    /**
     * Answers a request for a collection.
     *
     * @return the watch that is the rest of the answer, if it is one
     * @throws Rejection if it cannot be answered
     * @throws IOException if the client is gone
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    Optional<ServedWatch> answer(
            RequestPath.Collection path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (path.deprecatedWatch() || exchange.query().isOn("watch")) {
            Representation chosen = choose(resource, Offer.WATCH, exchange);
            return watch(path, resource, chosen, options(chosen.wire(), exchange), exchange);
        }
        list(path, resource, exchange);
        return Optional.empty();
    }

    private void list(RequestPath.Collection path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        ResourceType type = resource.type();
        Representation chosen = choose(resource, Offer.LIST, exchange);
        CollectionRequest wanted = requests.list(resource, path, exchange.query());
        Presentation shown = present(type, wanted.mirror(), chosen, Offer.LIST, exchange);
        if (answerers.isMirror(wanted, exchange)) {
            long history = EntityTags.history(wanted.mirror());
            Page page = lists.read(wanted, exchange.allotted());
            exchange.response().setHeader(Admission.REVISION, page.revision().digits());
            EntityTag tag = forms.tags().of(shown, wanted, history, page);
            Pin pin = lists.pin(wanted.mirror());
            try (pin) {
                Delivery.send(forms.list(shown, page), shown.indented(), tag, exchange);
            }
        }
    }

    private Optional<ServedWatch> watch(
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
        // By a deprecated path no revision means any (PA-9).
        answerers.admission().admit(wanted.mirror(), !deprecated && wanted.isForNewest(), exchange);
        ResourceType type = resource.type();
        Presentation shown = present(type, wanted.mirror(), chosen, Offer.WATCH, exchange);
        return watches.serve(wanted, new Frames(forms.objects(shown), shown.form()), exchange);
    }

    private static Representation choose(MirroredResource resource, Offer offer, Exchange exchange)
            throws Rejection {
        Representation chosen =
                Representation.choose(exchange.accept(), offer, resource.type().builtIn());
        exchange.note().shows(chosen);
        return chosen;
    }

    /** What the client is shown of what the mirror holds, which may be less than it has chosen. */
    private static Presentation present(
            ResourceType type, Mirror mirror, Representation chosen, Offer offer, Exchange exchange)
            throws Rejection {
        Extent extent = mirror.scope().extent();
        Representation form =
                switch (extent) {
                    case WHOLE -> chosen;
                    case METADATA -> Representation.chooseMetadata(exchange.accept(), offer, type);
                };
        exchange.note().shows(form);
        boolean indented = exchange.isIndented(form.clause());
        return new Presentation(type, extent, form, exchange.query(), indented);
    }

    /** The options, whose revision a browser that connects again overrides (SE-5, SE-6). */
    private static ListOptions options(Wire wire, Exchange exchange) throws Rejection {
        boolean sent = wire == Wire.SERVER_SENT_EVENTS;
        ListOptions options = ListOptions.decode(exchange.query(), sent);
        String last = exchange.request().getHeader("Last-Event-ID");
        return sent && last != null && !last.isEmpty() ? options.resumedAfter(last) : options;
    }
}
