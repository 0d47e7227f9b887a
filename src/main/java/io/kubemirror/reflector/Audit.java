package io.kubemirror.reflector;

/** The result of comparing the mirror with the server at one revision (list-watch.md#ca-6). */
sealed interface Audit {

    /** The mirror was not following the server, so no comparison was made. */
    record Untimely() implements Audit {}

    /** The mirror and the server have the same objects in the same states. */
    record Consistent() implements Audit {}

    /**
     * The mirror and the server differ.
     *
     * @param missing the number of objects that only the server has
     * @param surplus the number of objects that only the mirror has
     * @param other the number of objects that both have in different states
     */
    record Different(int missing, int surplus, int other) implements Audit {}

    /**
     * The server does not have the mirror's revision. It was restored from a backup, and the watch
     * waits for a revision that may never come (list-watch.md#wa-10, #re-12).
     */
    record Ahead() implements Audit {}

    /** The server does not keep the revision any more, so that no comparison is possible. */
    record Expired() implements Audit {}

    /**
     * The server refuses a list at an exact revision.
     *
     * @param reason the reason, in one line
     */
    record Refused(String reason) implements Audit {}

    /** The server did not answer. The reflector finds the cause itself. */
    record Failed() implements Audit {}
}
