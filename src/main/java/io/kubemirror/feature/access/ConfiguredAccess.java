package io.kubemirror.feature.access;

import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.http.Credentials;
import io.kubemirror.model.Permission;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * Access control that a reload of the configuration replaces.
 *
 * @param present what is configured at present
 */
public record ConfiguredAccess(Supplier<AccessControl> present) implements AccessControl {

    @Override
    public boolean isOpen() {
        return present.get().isOpen();
    }

    @Override
    public Duration recheckInterval() {
        return present.get().recheckInterval();
    }

    @Override
    public AccessDecision check(Credentials credentials, Permission permission)
            throws InterruptedException {
        return present.get().check(credentials, permission);
    }
}
