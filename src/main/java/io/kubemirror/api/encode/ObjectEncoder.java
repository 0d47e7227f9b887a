package io.kubemirror.api.encode;

import io.kubemirror.model.KubeObject;

import java.io.IOException;
import java.io.OutputStream;

/** Writes single objects, for the response to a get and for the events of a watch. */
interface ObjectEncoder {

    /** Writes an object or a bookmark, which is an object with nothing but a revision. */
    void write(KubeObject object, OutputStream out) throws IOException;

    /** Returns whether the output for a state is always the same and can be shared. */
    default boolean isShared() {
        return true;
    }
}
