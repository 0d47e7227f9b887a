package io.kubemirror.access;

/** Knows people by what they show. May be used from any thread. */
@FunctionalInterface
interface Authenticator {

    /**
     * Finds out who somebody is.
     *
     * @throws InterruptedException if the thread is interrupted while somebody else is asked
     */
    Authentication authenticate(Credentials credentials) throws InterruptedException;
}
