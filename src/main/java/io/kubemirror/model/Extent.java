package io.kubemirror.model;

/** How much of each object is mirrored. */
public enum Extent {
    /** The whole object, except for the members that are dropped. */
    WHOLE,
    /**
     * Only the metadata: the API server sends {@code PartialObjectMetadata} instead of the object.
     */
    METADATA
}
