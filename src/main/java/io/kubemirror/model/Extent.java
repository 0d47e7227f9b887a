package io.kubemirror.model;

/** How much of each object is mirrored. */
public enum Extent {
    /** All of it, but for the members that are dropped. */
    WHOLE,
    /** Its metadata: the API server sends {@code PartialObjectMetadata} instead of the object. */
    METADATA
}
