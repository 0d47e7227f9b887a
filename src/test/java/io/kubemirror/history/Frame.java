package io.kubemirror.history;

/**
 * An event of a watch.
 *
 * @param at when the client had read it, by {@link System#nanoTime}
 * @param type its type
 * @param object the object, {@link Version#NONE} if it has none
 * @param revision its revision; of an ERROR, the code
 * @param end whether it ends the initial events
 */
record Frame(long at, String type, Version object, long revision, boolean end) {

    boolean isBookmark() {
        return type.equals("BOOKMARK");
    }

    boolean isError() {
        return type.equals("ERROR");
    }
}
