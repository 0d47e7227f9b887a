package io.kubemirror.api.http;

/** The types of watch events, named as they are written. */
public enum EventType {
    /** An object came, or was there from the beginning. */
    ADDED,
    /** An object is another than before. */
    MODIFIED,
    /** An object went. */
    DELETED,
    /** Nothing happened, but everything up to a revision has been sent. */
    BOOKMARK,
    /** The stream ends with an error. */
    ERROR
}
