package io.kubemirror.access;

/** What came of asking whether somebody is permitted to do something. */
sealed interface Authorization {

    /** They are. */
    Authorization ALLOWED = new Allowed();

    /** They are. */
    record Allowed() implements Authorization {}

    /**
     * They are not.
     *
     * @param reason why, empty if nobody says
     */
    record Denied(String reason) implements Authorization {}

    /**
     * It cannot be found out.
     *
     * @param why what happened, in one line without credentials
     */
    record Unavailable(String why) implements Authorization {}
}
