package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;

/** An observation of a local client. */
sealed interface ClientObservation {

    /** A list, with which a new series of observations begins. */
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

    /** The client has resumed after a revision, of an event or of a bookmark. */
    record Resumed(Revision after) implements ClientObservation {}
}
