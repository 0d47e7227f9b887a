package io.kubemirror.access;

/** The result of authorizing an operation. */
sealed interface Authorization {

    /** The operation is allowed. */
    Authorization ALLOWED = new Allowed();

    /** The operation is allowed. */
    record Allowed() implements Authorization {}

    /**
     * The operation is denied.
     *
     * @param reason the reason, empty if none was given
     */
    record Denied(String reason) implements Authorization {}

    /**
     * The decision cannot be made at the moment.
     *
     * @param why the cause, in one line without credentials
     */
    record Unavailable(String why) implements Authorization {}
}
