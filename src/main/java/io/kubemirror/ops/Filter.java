package io.kubemirror.ops;

import io.kubemirror.model.Change;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SelectorException;

import java.util.Optional;

/**
 * Which changes somebody wants to see.
 *
 * @param selection the namespace and the labels
 * @param name what has to be part of the name, empty for anything
 */
record Filter(Selection selection, String name) {

    /**
     * Reads what somebody has typed.
     *
     * @throws SelectorException if the label selector cannot be read
     */
    static Filter of(String namespace, String labels, String name) throws SelectorException {
        Selection selection =
                new Selection(namespace, LabelSelector.parse(labels), FieldSelector.everything());
        return new Filter(selection, name);
    }

    /** What a change is to somebody who sees only this; empty if it is nothing. */
    Optional<Change> view(Change change) {
        return change.key().name().contains(name) ? selection.view(change) : Optional.empty();
    }
}
