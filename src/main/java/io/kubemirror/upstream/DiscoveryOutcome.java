package io.kubemirror.upstream;

import io.kubemirror.model.ResourceType;

import java.util.List;

/** What came of asking discovery for a resource. */
public sealed interface DiscoveryOutcome
        permits DiscoveryOutcome.Found, DiscoveryOutcome.Unknown, Failure {

    /**
     * The server serves it.
     *
     * @param type the type, in the preferred version or the one that the name demands
     */
    record Found(ResourceType type) implements DiscoveryOutcome {}

    /**
     * The server is there and serves no such resource.
     *
     * @param similar names that may have been meant, possibly none
     */
    record Unknown(List<String> similar) implements DiscoveryOutcome {

        /** Copies the names. */
        public Unknown {
            similar = List.copyOf(similar);
        }
    }
}
