package io.kubemirror.access;

import io.kubemirror.model.Identity;

/** The result of authenticating a client. */
sealed interface Authentication {

    /** The client is unknown. */
    Authentication UNKNOWN = new Unknown();

    /** The client is known. */
    record Known(Identity identity) implements Authentication {}

    /** The client is unknown. */
    record Unknown() implements Authentication {}

    /**
     * The client cannot be authenticated at the moment.
     *
     * @param why the cause, in one line without credentials
     */
    record Unavailable(String why) implements Authentication {}
}
