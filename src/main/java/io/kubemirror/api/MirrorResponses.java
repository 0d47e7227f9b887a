package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.DocumentEncoder;
import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.query.ListArrangement;
import io.kubemirror.api.read.Plan;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.api.watch.WatchService;
import io.kubemirror.api.watch.WatchService.WatchPart;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends what mirrors answer. */
final class MirrorResponses {

    private static final Logger log = LoggerFactory.getLogger(MirrorResponses.class);

    private final DocumentEncoder encoder;
    private final WatchService watches;

    MirrorResponses(DocumentEncoder encoder, WatchService watches) {
        this.encoder = encoder;
        this.watches = watches;
    }

    /**
     * Sends an object.
     *
     * @throws Rejection if the object does not exist
     * @throws IOException if the client has disconnected
     */
    void send(Plan.Get plan, Exchange exchange) throws Rejection, IOException {
        String name = plan.path().name();
        KubeObject object =
                plan.state()
                        .get(ObjectKey.of(plan.path().namespace(), name))
                        .orElseThrow(() -> new Rejection(StatusErrors.notFound(plan.type(), name)));
        show(plan.state().revision(), exchange);
        encoder.send(plan.form(), object, exchange);
    }

    /**
     * Sends a page of a list, which holds its state in memory. A client that has not read it in the
     * time of the request gets a part of it, as from the API server (list-watch.md#de-7).
     *
     * @throws Rejection if the client accepts no representation that there is, or the list is too
     *     large to be sorted or counted
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits for memory
     */
    void send(Plan.Page plan, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        CollectionRequest wanted = plan.wanted();
        ListPage page = page(plan).of(wanted.selection().shard());
        show(page.revision(), exchange);
        CompletableFuture<Void> sent =
                new CompletableFuture<Void>()
                        .orTimeout(exchange.allotted().toMillis(), TimeUnit.MILLISECONDS);
        sent.exceptionally(_ -> abort(exchange));
        Mirror mirror = wanted.mirror();
        try (Pin _ = mirror.pin(plan.state(), () -> abortSlow(mirror, exchange))) {
            encoder.send(plan.form(), wanted, plan.history(), page, exchange);
        } finally {
            sent.complete(null);
        }
    }

    private static void abortSlow(Mirror mirror, Exchange exchange) {
        log.warn("{}: aborting a list of a slow client, because memory is low", mirror.scope());
        abort(exchange);
    }

    private static @Nullable Void abort(Exchange exchange) {
        Thread.ofVirtual().name("abort").start(exchange::abort);
        return null;
    }

    private static void show(Revision revision, Exchange exchange) {
        exchange.response().setHeader(StalenessPolicy.REVISION, revision.digits());
    }

    private static ListPage page(Plan.Page plan) throws Rejection {
        CollectionRequest wanted = plan.wanted();
        ListArrangement arrangement = wanted.arrangement();
        ContinueToken token = plan.token();
        if (arrangement == null) {
            return inKeyOrder(plan, token == null ? "" : token.start());
        }
        return ListPage.arranged(
                plan.state(),
                arrangement.part(
                        plan.state(),
                        wanted.selection(),
                        token == null ? 0 : token.position(wanted.order()),
                        plan.limited() ? wanted.options().limit() : Long.MAX_VALUE),
                wanted.order());
    }

    private static ListPage inKeyOrder(Plan.Page plan, String from) {
        CollectionRequest wanted = plan.wanted();
        Selection selection = wanted.selection();
        Optional<ObjectKey> single = wanted.single();
        if (single.isPresent()) {
            return ListPage.single(plan.state(), selection, single.get());
        }
        return plan.limited()
                ? ListPage.limited(plan.state(), selection, from, wanted.options().limit())
                : ListPage.whole(plan.state(), selection, from);
    }

    /**
     * Opens a watch.
     *
     * @return the rest of the response; empty if it is complete
     * @throws Rejection if the watch cannot begin
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits for the mirror
     */
    Optional<WatchConnection> open(Plan.SelectedWatch plan, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        return watches.serve(List.of(WatchPart.only(plan, exchange)), exchange);
    }
}
