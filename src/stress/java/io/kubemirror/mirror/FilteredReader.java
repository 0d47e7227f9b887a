package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.selection;

/** A reader of one name, which may skip what does not concern it. */
final class FilteredReader extends WaitingReaderScenario {

    FilteredReader() {
        super(selection("a", "", "metadata.name=x"));
    }
}
