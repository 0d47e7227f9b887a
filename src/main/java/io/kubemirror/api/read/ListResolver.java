package io.kubemirror.api.read;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RevisionParameter;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;

/** Resolves list requests to a page of a snapshot (list-watch.md#list-combinations, #paging). */
public final class ListResolver {

    private final MirrorDirectory directory;
    private final RevisionWait revisionWait;
    private final BiFunction<Mirror, Runnable, SnapshotPin> pins;

    public ListResolver(
            MirrorDirectory directory,
            RevisionWait revisionWait,
            BiFunction<Mirror, Runnable, SnapshotPin> pins) {
        this.directory = directory;
        this.revisionWait = revisionWait;
        this.pins = pins;
    }

    /**
     * Pins the state of a list while the list is sent. Close the pin afterward.
     *
     * @param abort ends the response; must return at once
     */
    public SnapshotPin pin(Mirror mirror, Revision revision, Runnable abort) {
        return pins.apply(mirror, abort).hold(revision);
    }

    /**
     * Reads a page of a list.
     *
     * @param wanted the list request
     * @param allotted the maximum duration of the request
     * @throws Rejection if the requested state is not available
     * @throws InterruptedException if the thread is interrupted while it waits for the state
     */
    public ListPage read(CollectionRequest wanted, Duration allotted)
            throws Rejection, InterruptedException {
        ListOptions options = wanted.options();
        if (!options.paging().token().isEmpty()) {
            return continued(wanted, allotted);
        }
        String text = options.state().revision();
        Revision revision =
                text.isEmpty()
                        ? Revision.ZERO
                        : RevisionParameter.parse(text, wanted.mirror().revision());
        Snapshot now = directory.stateOf(wanted.mirror());
        if (revision.isZero()) {
            boolean limited = text.isEmpty() && options.paging().isLimited();
            return page(now, wanted, "", limited);
        }
        revisionWait.await(wanted.mirror(), revision, allotted);
        return page(since(revision, wanted), wanted, "", options.paging().isLimited());
    }

    /**
     * Returns the state at the revision, or one that is not older (list-watch.md#li-7 to #li-12).
     */
    private Snapshot since(Revision revision, CollectionRequest wanted) throws Rejection {
        return wanted.isExact()
                ? exact(revision, wanted.mirror())
                : directory.stateOf(wanted.mirror());
    }

    private static Snapshot exact(Revision revision, Mirror mirror) throws Rejection {
        return mirror.snapshot(revision)
                .orElseThrow(() -> new Rejection(StatusErrors.expiredList()));
    }

    private ListPage continued(CollectionRequest wanted, Duration allotted)
            throws Rejection, InterruptedException {
        ListOptions options = wanted.options();
        ContinueToken token = ContinueToken.decode(options.paging().token());
        if (!options.state().isOpen()) {
            throw new Rejection(
                    StatusErrors.badRequest(
                            "specifying resource version is not allowed when using continue"));
        }
        Snapshot state = directory.stateOf(wanted.mirror());
        Revision revision = token.revision();
        if (revision != null) {
            revisionWait.await(wanted.mirror(), revision, allotted);
            state = wanted.mirror().snapshot(revision).orElseThrow(() -> expired(token));
        }
        // With revision 0 the limit is ignored: the page holds all remaining objects, as the list
        // without a token would hold all objects (list-watch.md#li-4, #li-14).
        boolean limited = options.state().revision().isEmpty() && options.paging().isLimited();
        return page(state, wanted, token.start(), limited);
    }

    private static Rejection expired(ContinueToken token) {
        return new Rejection(StatusErrors.expiredContinue(token.inconsistent().encode()));
    }

    private static ListPage page(
            Snapshot state, CollectionRequest wanted, String from, boolean limited) {
        Selection selection = wanted.selection();
        Optional<ObjectKey> single = wanted.single();
        if (single.isPresent()) {
            return ListPage.single(state, selection, single.get());
        }
        return limited
                ? ListPage.limited(state, selection, from, wanted.options().paging().limit())
                : ListPage.whole(state, selection, from);
    }
}
