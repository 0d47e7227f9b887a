package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;

/**
 * A revision that a server once had.
 *
 * @param timeline in which course of events
 * @param revision when
 */
record HistoricalRevision(SimulatedHistory timeline, Revision revision) {

    /** What there was. */
    Collection<KubeObject> objects() {
        return timeline.at(Long.parseLong(revision.digits())).values();
    }

    @Override
    public String toString() {
        return revision.toString();
    }
}
