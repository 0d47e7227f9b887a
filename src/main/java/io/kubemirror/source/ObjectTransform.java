package io.kubemirror.source;

import module java.base;

import io.kubemirror.model.KubeObject;

/**
 * Changes arriving objects before a mirror has them, such as by leaving out members. Immutable, and
 * equal to another one if it does the same.
 */
public interface ObjectTransform {

    /** Changes nothing. */
    ObjectTransform NONE = new ObjectTransform() {};

    /** Returns what a mirror has of an object: the same state with another JSON. */
    default KubeObject apply(KubeObject object) {
        return object;
    }

    /** Returns what differs from whole objects, in characters that a header can have. */
    default String text() {
        return "";
    }

    /** Returns a text that is the same if the results are. */
    default String identity() {
        return "";
    }
}
