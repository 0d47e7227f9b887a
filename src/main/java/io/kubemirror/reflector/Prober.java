package io.kubemirror.reflector;

import io.kubemirror.kube.Failure;
import io.kubemirror.kube.ListOutcome;
import io.kubemirror.kube.ListRequest;
import io.kubemirror.kube.ResourceCollection;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.State.From;

/**
 * {@link State.Probing}: makes sure, after nobody had answered at the server's address, that
 * whoever answers now has not gone back (RE-12).
 *
 * <p>A server that was restored from a backup accepts a watch from a revision that it does not have
 * yet, and says nothing until it has come that far again (WA-10): no 410, no bookmark. So its most
 * recent revision is asked for, by a list of at most one object and without selectors, for which an
 * old server would have to search. The watch is open by then, so that nothing is late (UP-40).
 *
 * <p>Rejected: to ask whenever a watch ends, since one that ended as it should has just come from
 * this very server. The auditor finds what is missed here.
 */
final class Prober {

    private final Equipment equipment;

    Prober(Equipment equipment) {
        this.equipment = equipment;
    }

    State step(State.Probing state) {
        State.Watching watching = state.watching();
        equipment.setbacks().reassured();
        return switch (equipment.api().list(newest(watching.collection()), _ -> {})) {
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

    private State found(State.Watching watching, Revision newest) {
        equipment.accepted(Verb.LIST);
        if (!newest.isBefore(equipment.writer().mirror().revision())) {
            return watching;
        }
        watching.stream().close();
        return new State.Synchronising(watching.collection(), new From.MostRecent());
    }
}
