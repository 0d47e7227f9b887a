package io.kubemirror.mirror;

/** A reader of one name, which may skip what does not concern it. */
final class FilteredReader extends WaitingReaderScenario {

    FilteredReader() {
        super(new Interest.Named("a", "x"));
    }
}
