package io.kubemirror.reflector;

/** How a reflector gets the present state of a collection. */
public enum Strategy {
    /**
     * A watch that begins with the present state, or a paged list where the server refuses that.
     */
    AUTO,
    /** A watch that begins with the present state and goes on with the changes. */
    WATCH_LIST,
    /** A list in pages, then a watch from the list's revision. */
    LIST_WATCH
}
