package io.kubemirror.reflector;

import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.ListOutcome;
import io.kubemirror.upstream.ListRequest;
import io.kubemirror.upstream.ResourceCollection;

/**
 * {@link ReflectorState.Probing}: makes sure, after nobody had answered at the server's address,
 * that whoever answers now has not gone back (list-watch.md#re-12).
 *
 * <p>A server that was restored from a backup accepts a watch from a revision that it does not have
 * yet, and says nothing until it has come that far again (list-watch.md#wa-10): no 410, no
 * bookmark. So its most recent revision is asked for, by a list of at most one object and without
 * selectors, for which an old server would have to search. The watch is open by then, so that
 * nothing is late (list-watch.md#up-40).
 *
 * <p>Rejected: to ask whenever a watch ends, since one that ended as it should has just come from
 * this very server. The auditor finds what is missed here.
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
            case ListOutcome.Page page -> found(watching, page.revision());
            // Whatever is wrong, the watch meets it too and knows what to do about it.
            case Failure _ -> watching;
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
