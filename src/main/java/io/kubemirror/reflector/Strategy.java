package io.kubemirror.reflector;

/** How a reflector fetches the present state of a collection. */
public enum Strategy {
    /**
     * A watch that begins with the present state, or a paged list if the server refuses that; with
     * the watch beside it after a list took longer than the server keeps revisions.
     */
    AUTO,
    /** A watch that begins with the present state and continues with the changes. */
    WATCH_LIST,
    /** A list in pages, then a watch from the list's revision. */
    LIST_WATCH,
    /**
     * A paged list with the watch already running beside it: for collections so large that the
     * revision of the list would expire before the list ends.
     */
    LIST_WATCH_PARALLEL
}
