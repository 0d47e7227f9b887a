package io.kubemirror.feature.access;

import io.kubemirror.feature.access.AccessControl.AccessDecision;
import io.kubemirror.model.Permission;

/** Authenticates a client and decides about one operation. May be used from any thread. */
@FunctionalInterface
interface ClientCheck {

    /**
     * Decides. May wait for the API server, for a limited time.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    AccessDecision check(Credentials credentials, Permission permission)
            throws InterruptedException;
}
