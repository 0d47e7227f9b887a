package io.kubemirror.history;

/**
 * Something that went wrong.
 *
 * @param kind what
 * @param replica the replica that it concerned, {@code api} if it was the API server
 * @param from when it began, by {@link System#nanoTime}
 * @param until when it ended
 */
record Fault(String kind, String replica, long from, long until) {

    /** The replica cannot connect to the API server. */
    static final String PARTITION = "partition";

    /** The replica does not hear of the API server. */
    boolean isSilent() {
        return kind.equals(PARTITION) || kind.equals("held-upstream");
    }
}
