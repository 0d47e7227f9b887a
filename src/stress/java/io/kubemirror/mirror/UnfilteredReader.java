package io.kubemirror.mirror;

import io.kubemirror.model.Selection;

/** A reader of everything. */
final class UnfilteredReader extends WaitingReaderScenario {

    UnfilteredReader() {
        super(Selection.everything());
    }
}
