package io.kubemirror.access;

/** Authenticates clients by their credentials. May be used from any thread. */
@FunctionalInterface
interface Authenticator {

    /**
     * Authenticates a client.
     *
     * @throws InterruptedException if the thread is interrupted while it waits for another server
     */
    Authentication authenticate(Credentials credentials) throws InterruptedException;
}
