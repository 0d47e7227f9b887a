package io.kubemirror.api.encode;

import io.kubemirror.api.http.FieldSelectors;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.OptionRules;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Selection;

import java.util.Optional;

/**
 * A list or a watch whose options make sense and which a mirror can answer.
 *
 * @param type the type of the objects
 * @param mirror the mirror that answers
 * @param selection the objects that are wanted
 * @param options the options
 */
public record CollectionRequest(
        ResourceType type, Mirror mirror, Selection selection, ListOptions options) {

    /** Whether the newest state is wanted; a page of an earlier list has a state of its own. */
    public boolean isForNewest() {
        return options.state().isNewest() && options.paging().token().isEmpty();
    }

    /**
     * Whether the state at one revision is wanted and no later one, as it is without saying so
     * where a revision comes together with a limit (list-watch.md#li-9, #li-11, #li-12).
     */
    public boolean isExact() {
        ListOptions.StateOptions state = options.state();
        boolean paged = options.paging().isLimited() && single().isEmpty();
        return state.match().equals(OptionRules.EXACT)
                || (state.match().isEmpty() && !state.isOpen() && paged);
    }

    /** The one object that can be in the list, if the selection names one (list-watch.md#fs-8). */
    public Optional<ObjectKey> single() {
        boolean placed = !type.namespaced() || !selection.namespace().isEmpty();
        return placed && options.paging().token().isEmpty()
                ? selection
                        .fields()
                        .required(FieldSelectors.NAME)
                        .map(name -> ObjectKey.of(selection.namespace(), name))
                : Optional.empty();
    }
}
