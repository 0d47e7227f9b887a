package io.kubemirror.kube.json;

import io.kubemirror.model.KubeObject;

/** The result of reading an object. */
public sealed interface ReadResult {

    /**
     * An object of the collection.
     *
     * @param object the object
     */
    record Whole(KubeObject object) implements ReadResult {}

    /**
     * An object that does not belong to the collection.
     *
     * @param reason the cause
     */
    record Foreign(String reason) implements ReadResult {}

    /**
     * An object without a usable revision.
     *
     * @param reason the cause
     */
    record Untrackable(String reason) implements ReadResult {}
}
