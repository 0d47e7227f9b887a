package io.kubemirror.api.read;

import io.kubemirror.mirror.Mirror;

/** Provides the read policy of each mirror. */
@FunctionalInterface
public interface ReadPolicies {

    /**
     * Returns the policy of a mirror, also after it has been removed: a request that has found it
     * may still read it.
     */
    ReadPolicy of(Mirror mirror);
}
