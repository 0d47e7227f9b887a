package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.query.ListArrangement;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.model.GoString;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads objects and pages of lists from the state of a mirror, after waiting for the requested
 * revision (list-watch.md#gets, #list-combinations, #paging).
 */
public record MirrorReader(MirrorDirectory directory, RevisionWait revisionWait, Floors floors) {

    private static final Logger log = LoggerFactory.getLogger(MirrorReader.class);

    /**
     * Pins a state while it is sent, regardless of later changes of the mirror. Close the pin
     * afterward.
     *
     * @param abort ends the response; must return at once
     */
    public static Pin pin(Mirror mirror, Revision revision, Runnable abort) {
        return mirror.pin(
                revision,
                () -> {
                    log.warn(
                            "{}: aborting the response to a slow client, because memory is low",
                            mirror.scope());
                    abort.run();
                });
    }

    /**
     * An object and the revision of the state that contains it.
     *
     * @param object the object
     * @param revision the revision of the state
     */
    public record FoundObject(KubeObject object, Revision revision) {}

    /**
     * Checks a get.
     *
     * @throws Rejection if the request is invalid
     */
    public static void check(RequestPath.Item item, Query query) throws Rejection {
        if (query.isOn("export")) {
            // No longer supported by the API server (list-watch.md#de-6).
            throw Rejection.badRequest(
                    "the export parameter, deprecated since v1.14, is no longer supported");
        }
        checkName(item.name());
    }

    /** Rejects names that are not valid path segments, such as {@code ..} (list-watch.md#pa-19). */
    private static void checkName(String name) throws Rejection {
        boolean dots = name.equals(".") || name.equals("..");
        if (dots || name.indexOf('%') >= 0) {
            throw Rejection.badRequest(
                    "Name parameter invalid: "
                            + GoString.quote(name)
                            + (dots ? ": may not be '" + name + "'" : ": may not contain '%'"));
        }
    }

    /**
     * Reads an object.
     *
     * @return empty if no state of the mirror shows all answered writes in time
     * @throws Rejection if the object does not exist
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    public Optional<FoundObject> read(
            ResourceType type, RequestPath.Item item, ReadPlan.FromMirror plan, Exchange exchange)
            throws Rejection, InterruptedException {
        Mirror mirror = plan.mirror();
        Revision revision =
                ListOptions.revision(exchange.query().text("resourceVersion"), mirror.revision());
        Snapshot state = present(mirror, revision, plan.min(), exchange.allotted()).orElse(null);
        if (state == null) {
            return Optional.empty();
        }
        KubeObject object =
                state.get(ObjectKey.of(item.namespace(), item.name()))
                        .orElseThrow(() -> new Rejection(StatusErrors.notFound(type, item.name())));
        return Optional.of(new FoundObject(object, state.revision()));
    }

    /**
     * Reads a page of a list.
     *
     * @param wanted the list request
     * @param min a revision that a present state must not be before, 0 for any
     * @param allotted the maximum duration of the request
     * @return empty if no state of the mirror shows all answered writes in time
     * @throws Rejection if the requested state is not available
     * @throws InterruptedException if the thread is interrupted while it waits for the state
     */
    public Optional<ListPage> read(CollectionRequest wanted, Revision min, Duration allotted)
            throws Rejection, InterruptedException {
        ListOptions options = wanted.options();
        if (!options.token().isEmpty()) {
            return continued(wanted, min, allotted);
        }
        Mirror mirror = wanted.mirror();
        String text = options.revision();
        Revision revision = ListOptions.revision(text, mirror.revision());
        // At the revision, or not older (list-watch.md#li-7 to #li-12).
        Optional<Snapshot> state =
                text.isEmpty()
                        ? newest(mirror, min, allotted)
                        : wanted.isExact() && !revision.isZero()
                                ? exact(mirror, revision, StatusErrors.expiredList(), allotted)
                                : present(mirror, revision, min, allotted);
        boolean limited = options.isLimited() && (text.isEmpty() || !revision.isZero());
        return page(state, wanted, null, limited);
    }

    private Optional<Snapshot> exact(
            Mirror mirror, Revision revision, Status expired, Duration allotted)
            throws Rejection, InterruptedException {
        directory.stateOf(mirror);
        revisionWait.await(mirror, revision, allotted);
        return Optional.of(mirror.snapshot(revision).orElseThrow(() -> new Rejection(expired)));
    }

    private Optional<ListPage> continued(CollectionRequest wanted, Revision min, Duration allotted)
            throws Rejection, InterruptedException {
        ListOptions options = wanted.options();
        ContinueToken token = ContinueToken.decode(options.token());
        token.position(wanted.order());
        if (!options.isOpen()) {
            throw Rejection.badRequest(
                    "specifying resource version is not allowed when using continue");
        }
        Mirror mirror = wanted.mirror();
        Revision revision = token.revision();
        Optional<Snapshot> state =
                revision == null
                        ? newest(mirror, min, allotted)
                        : exact(mirror, revision, expired(token), allotted);
        // With revision 0 the limit is ignored: the page holds all remaining objects, as the list
        // without a token would hold all objects (list-watch.md#li-4, #li-14).
        boolean limited = options.revision().isEmpty() && options.isLimited();
        return page(state, wanted, token, limited);
    }

    private Optional<Snapshot> newest(Mirror mirror, Revision min, Duration allotted)
            throws Rejection, InterruptedException {
        directory.stateOf(mirror);
        return present(mirror, Revision.ZERO, min, allotted);
    }

    /**
     * Returns a present state that is not before a revision and shows all that clients know, such
     * as answered writes; empty if there is none in time (list-watch.md#fr-4, #ry-1). A mirror
     * without content is not waited for.
     *
     * @param revision the revision that the request names, 0 for none
     */
    private Optional<Snapshot> present(
            Mirror mirror, Revision revision, Revision min, Duration allotted)
            throws Rejection, InterruptedException {
        directory.stateOf(mirror);
        if (floors.isNamedOnly(revision, mirror, min)) {
            revisionWait.await(mirror, revision, allotted);
        }
        return floors.await(mirror, min, revisionWait.within(allotted))
                .map(Mirror.Position::snapshot);
    }

    private static Status expired(ContinueToken token) {
        // A position in an order means nothing in another state (list-watch.md#or-5).
        return token.order().isEmpty()
                ? StatusErrors.expiredContinue(token.inconsistent().encode())
                : StatusErrors.expiredList();
    }

    private Optional<ListPage> page(
            Optional<Snapshot> state,
            CollectionRequest wanted,
            @Nullable ContinueToken token,
            boolean limited)
            throws Rejection {
        if (state.isEmpty()) {
            return Optional.empty();
        }
        ListPage found = page(state.get(), wanted, token, limited);
        return Optional.of(found.of(wanted.selection().shard()));
    }

    private ListPage page(
            Snapshot state,
            CollectionRequest wanted,
            @Nullable ContinueToken token,
            boolean limited)
            throws Rejection {
        ListArrangement arrangement = wanted.arrangement();
        if (arrangement == null) {
            return page(state, wanted, token == null ? "" : token.start(), limited);
        }
        return ListPage.arranged(
                state,
                arrangement.part(
                        state,
                        wanted.selection(),
                        token == null ? 0 : token.position(wanted.order()),
                        limited ? wanted.options().limit() : Long.MAX_VALUE),
                wanted.order());
    }

    private static ListPage page(
            Snapshot state, CollectionRequest wanted, String from, boolean limited) {
        Selection selection = wanted.selection();
        Optional<ObjectKey> single = wanted.single();
        if (single.isPresent()) {
            return ListPage.single(state, selection, single.get());
        }
        return limited
                ? ListPage.limited(state, selection, from, wanted.options().limit())
                : ListPage.whole(state, selection, from);
    }
}
