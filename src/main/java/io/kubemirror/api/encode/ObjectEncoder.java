package io.kubemirror.api.encode;

import io.kubemirror.model.KubeObject;

import java.io.IOException;
import java.io.OutputStream;

/** How an object that stands alone is written: as the answer to a get, in an event of a watch. */
interface ObjectEncoder {

    /** Writes an object, or a bookmark, which is an object without anything but a revision. */
    void write(KubeObject object, OutputStream out) throws IOException;

    /** Whether a state is always written the same way, so that what was written can be shared. */
    default boolean isShared() {
        return true;
    }
}
