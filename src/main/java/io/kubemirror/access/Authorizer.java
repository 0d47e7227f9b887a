package io.kubemirror.access;

import io.kubemirror.model.Identity;
import io.kubemirror.model.Intent;

/** Knows what people may do. May be used from any thread. */
@FunctionalInterface
interface Authorizer {

    /**
     * Finds out whether somebody is permitted to do something.
     *
     * @throws InterruptedException if the thread is interrupted while somebody else is asked
     */
    Authorization decide(Identity identity, Intent intent) throws InterruptedException;
}
