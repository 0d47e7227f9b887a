package io.kubemirror.reflector;

/** How a reflector gets the present state of a collection. */
public enum Strategy {
    /**
     * A watch that begins with the present state, or a paged list where the server refuses that;
     * with the watch beside it once a list took longer than the server remembers.
     */
    AUTO,
    /** A watch that begins with the present state and goes on with the changes. */
    WATCH_LIST,
    /** A list in pages, then a watch from the list's revision. */
    LIST_WATCH,
    /**
     * A list in pages with the watch already running beside it: for collections so large that the
     * server would have forgotten the list's revision before the list ends.
     */
    LIST_WATCH_PARALLEL
}
