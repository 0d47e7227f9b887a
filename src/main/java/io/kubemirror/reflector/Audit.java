package io.kubemirror.reflector;

/** What came of comparing the mirror with the server at one revision (list-watch.md#ca-6). */
sealed interface Audit {

    /** The mirror was not following the server just then, so the server was not asked. */
    record Untimely() implements Audit {}

    /** Both hold the same objects in the same states. */
    record Consistent() implements Audit {}

    /**
     * They differ.
     *
     * @param missing how many objects only the server has
     * @param surplus how many objects only the mirror has
     * @param other how many objects both have in different states
     */
    record Different(int missing, int surplus, int other) implements Audit {}

    /**
     * The server does not have the mirror's revision: it was restored from a backup, and the watch
     * waits for a future that may never come (list-watch.md#wa-10, #re-12).
     */
    record Ahead() implements Audit {}

    /** The server has forgotten the revision, so that there is nothing to compare with. */
    record Expired() implements Audit {}

    /**
     * The server does not give such a list.
     *
     * @param reason why, in one line
     */
    record Refused(String reason) implements Audit {}

    /** The server did not answer; why, the reflector learns by itself. */
    record Failed() implements Audit {}
}
