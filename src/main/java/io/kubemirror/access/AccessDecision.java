package io.kubemirror.access;

import io.kubemirror.model.Identity;
import io.kubemirror.model.Intent;

/** What came of a request's credentials. */
public sealed interface AccessDecision {

    /**
     * It may be answered.
     *
     * @param identity who asks
     */
    record Admitted(Identity identity) implements AccessDecision {}

    /** Nobody knows who asks. */
    record Unauthenticated() implements AccessDecision {}

    /**
     * Who asks may not.
     *
     * @param identity who asks
     * @param intent what they wanted
     * @param reason why not, empty if nobody says
     */
    record Forbidden(Identity identity, Intent intent, String reason) implements AccessDecision {}

    /**
     * It cannot be found out now.
     *
     * @param why what happened, in one line without credentials
     */
    record Unavailable(String why) implements AccessDecision {}
}
