package io.kubemirror.api.read;

import io.kubemirror.model.Scope;

/** Provides the read policy of each mirror. */
@FunctionalInterface
public interface ReadPolicies {

    /**
     * Returns the policy of a mirror.
     *
     * @param scope the configured scope of the mirror
     */
    ReadPolicy of(Scope scope);
}
