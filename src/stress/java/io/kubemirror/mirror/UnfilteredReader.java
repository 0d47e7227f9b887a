package io.kubemirror.mirror;

/** A reader of everything. */
final class UnfilteredReader extends WaitingReaderScenario {

    UnfilteredReader() {
        super(new Interest.Everything());
    }
}
