package io.kubemirror.reflector;

import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.upstream.ListRequest;
import io.kubemirror.upstream.ResourceCollection;
import io.kubemirror.upstream.Result;

/**
 * Handles {@link ReflectorState.Probing}: verifies, after the server was unreachable, that the
 * server that answers now is not older than the mirror (list-watch.md#re-12).
 *
 * <p>A server that was restored from a backup accepts a watch from a revision that it does not have
 * yet, and sends nothing until it reaches that revision (list-watch.md#wa-10): no 410, no bookmark.
 * The prober therefore asks for the most recent revision, by a list of at most one object and
 * without selectors, for which an old server would have to search. The watch is open by then, so
 * that no event is delayed (list-watch.md#up-40).
 *
 * <p>Rejected: a probe after every end of a watch. A watch that ended properly came from this very
 * server. The auditor detects what the prober misses.
 */
final class Prober {

    private final ReflectorContext context;

    Prober(ReflectorContext context) {
        this.context = context;
    }

    ReflectorState step(ReflectorState.Probing state) {
        ReflectorState.Watching watching = state.watching();
        context.retryState().confirmed();
        return switch (context.api().list(newest(watching.collection()), _ -> {})) {
            case Result.Success(var page) -> found(watching, page.revision());
            // The watch meets the same failure and handles it.
            case Result.Failed(var _) -> watching;
        };
    }

    private static ListRequest newest(ResourceCollection collection) {
        String namespace = collection.selection().namespace();
        Selection everything = Selection.everything();
        ResourceCollection unselected =
                new ResourceCollection(
                        collection.type(),
                        new Selection(namespace, everything.labels(), everything.fields()),
                        collection.shape(),
                        collection.extent());
        return new ListRequest(unselected, null, 1, null);
    }

    private ReflectorState found(ReflectorState.Watching watching, Revision newest) {
        context.accepted(Verb.LIST);
        if (!newest.isBefore(context.writer().mirror().revision())) {
            return watching;
        }
        watching.stream().close();
        return new ReflectorState.Synchronizing(watching.collection(), new SyncStart.MostRecent());
    }
}
