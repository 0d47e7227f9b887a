package io.kubemirror.api.read;

import io.kubemirror.model.Scope;

/** Knows how each mirror is to be read. */
@FunctionalInterface
public interface ReadPolicies {

    /**
     * The policy of a mirror.
     *
     * @param scope what is mirrored, as configured
     */
    ReadPolicy of(Scope scope);
}
