package io.kubemirror.access;

import io.kubemirror.model.Identity;

/** What came of asking who somebody is. */
sealed interface Authentication {

    /** Nobody that is known. */
    Authentication UNKNOWN = new Unknown();

    /**
     * Somebody.
     *
     * @param identity who
     */
    record Known(Identity identity) implements Authentication {}

    /** Nobody that is known. */
    record Unknown() implements Authentication {}

    /**
     * It cannot be found out.
     *
     * @param why what happened, in one line without credentials
     */
    record Unavailable(String why) implements Authentication {}
}
