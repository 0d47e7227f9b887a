package io.kubemirror.reflector;

import io.kubemirror.kube.Failure;
import io.kubemirror.kube.ListOutcome;
import io.kubemirror.kube.ListRequest;
import io.kubemirror.kube.ResourceCollection;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.State.From;

/**
 * {@link State.Probing}: makes sure, after the connection was lost, that whoever answers now has
 * not gone back (RE-12).
 *
 * <p>A server that was restored from a backup accepts a watch from a revision that it does not have
 * yet, and says nothing until it has come that far again (WA-10): no 410, no bookmark. So the most
 * recent revision is asked for, by a list of at most one object and without selectors, which would
 * make an old server search.
 *
 * <p>Rejected: to ask before every watch, since one that ended as it should has just come from this
 * very server.
 */
final class Prober {

    private final Equipment equipment;

    Prober(Equipment equipment) {
        this.equipment = equipment;
    }

    State step(State.Probing state) {
        ListRequest newest = new ListRequest(unselected(state.collection()), null, 1, null);
        return switch (equipment.api().list(newest, _ -> {})) {
            case ListOutcome.Page page -> found(state.collection(), page.revision());
            case Failure.Unreachable unreachable -> equipment.rest(unreachable, state);
            case Failure.Refused refused when refused.status().code() == 429 ->
                    equipment.rest(refused, state);
            // Whatever else is wrong, the watch will meet it too and knows what to do about it.
            case Failure.Refused _, Failure.Malformed _ -> new State.Opening(state.collection());
        };
    }

    private static ResourceCollection unselected(ResourceCollection collection) {
        String namespace = collection.selection().namespace();
        Selection everything = Selection.everything();
        return new ResourceCollection(
                collection.type(),
                new Selection(namespace, everything.labels(), everything.fields()),
                collection.shape(),
                collection.extent());
    }

    private State found(ResourceCollection collection, Revision newest) {
        equipment.journal().contacted();
        return newest.isBefore(equipment.writer().mirror().revision())
                ? new State.Synchronising(collection, new From.MostRecent())
                : new State.Opening(collection);
    }
}
