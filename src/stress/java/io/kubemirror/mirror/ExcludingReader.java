package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.selection;

/** A reader of all names but one, which no index can look up. */
final class ExcludingReader extends WaitingReaderScenario {

    ExcludingReader() {
        super(selection("", "", "metadata.name!=other"));
    }
}
