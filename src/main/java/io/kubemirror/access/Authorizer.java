package io.kubemirror.access;

import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;

/** Authorizes the operations of authenticated clients. May be used from any thread. */
@FunctionalInterface
interface Authorizer {

    /**
     * Decides whether a client may perform an operation.
     *
     * @throws InterruptedException if the thread is interrupted while it waits for another server
     */
    Authorization decide(Identity identity, Permission permission) throws InterruptedException;
}
