package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.DocumentEncoder;
import io.kubemirror.api.encode.DocumentEncoder.ResponseForm;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.query.ListArrangement;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.api.watch.WatchService;

/** Checks requests for watches of mirrored resources, and opens the watches. */
public final class WatchRequests {

    private final WatchService watches;
    private final DocumentEncoder encoder;
    private final StalenessPolicy staleness;

    /** Creates an instance. */
    WatchRequests(WatchService watches, DocumentEncoder encoder, StalenessPolicy staleness) {
        this.watches = watches;
        this.encoder = encoder;
        this.staleness = staleness;
    }

    /**
     * Opens a watch of a collection or an object.
     *
     * @return empty if the response is complete
     * @throws Rejection if the resource cannot be watched
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits for the mirror
     */
    Optional<WatchConnection> open(
            RequestPath.OfResource path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        ResponseForm chosen = encoder.choose(resource.type(), exchange);
        ListArrangement.refuse(exchange.query(), "a watch has the order of its events");
        ListOptions options = options(chosen.form().framing(), exchange);
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
        staleness.admit(wanted.mirror(), !deprecated && wanted.isForNewest(), exchange);
        FrameEncoder frames = encoder.frames(encoder.present(chosen, wanted.mirror(), exchange));
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
     */
    public SelectedWatch select(
            MirroredResource resource,
            ListOptions options,
            Optional<Duration> maxAge,
            Exchange exchange)
            throws Rejection {
        ResponseForm chosen = encoder.choose(resource.type(), exchange);
        ListOptions watch = options.withWatchDefaults();
        watch.checkWatch();
        CollectionRequest wanted = resource.select(exchange.query().text("namespace"), watch);
        staleness.check(wanted.mirror(), wanted.isForNewest(), maxAge);
        return new SelectedWatch(
                wanted, encoder.frames(encoder.present(chosen, wanted.mirror(), exchange)));
    }

    /**
     * Returns the options. A browser that reconnects overrides their revision (list-watch.md#se-5,
     * #se-6).
     */
    private ListOptions options(WatchFraming framing, Exchange exchange) throws Rejection {
        boolean sent = framing == WatchFraming.SERVER_SENT_EVENTS;
        ListOptions options = ListOptions.decode(exchange.query(), sent);
        String last = exchange.request().getHeader("Last-Event-ID");
        return sent && last != null && !last.isEmpty() ? options.resumedAfter(last) : options;
    }
}
