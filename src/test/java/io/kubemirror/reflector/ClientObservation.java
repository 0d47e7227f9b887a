package io.kubemirror.reflector;

import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;

import java.util.List;

/** What a local client gets to see. */
sealed interface ClientObservation {

    /** A list, with which everything begins anew. */
    record Listed(HistoricalRevision at, List<KubeObject> objects) implements ClientObservation {
        @Override
        public String toString() {
            return "Listed at " + at + " " + objects;
        }
    }

    /** An event. */
    record Changed(Change change) implements ClientObservation {}

    /** Everything up to here has been seen. */
    record Reached(HistoricalRevision at) implements ClientObservation {}

    /** It was away and goes on after a revision, of an event or of a bookmark. */
    record Resumed(Revision after) implements ClientObservation {}
}
