package io.kubemirror.api.http;

/** The types of watch events. The names are those of the wire format. */
public enum EventType {
    /** An object was created, or existed when the watch began. */
    ADDED,
    /** An object was modified. */
    MODIFIED,
    /** An object was deleted. */
    DELETED,
    /** No change. Everything up to a revision has been sent. */
    BOOKMARK,
    /** The stream ends with an error. */
    ERROR
}
