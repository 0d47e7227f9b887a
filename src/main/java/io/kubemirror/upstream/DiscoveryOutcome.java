package io.kubemirror.upstream;

import io.kubemirror.model.ResourceType;

import java.util.List;

/** The result of looking up a resource in discovery. */
public sealed interface DiscoveryOutcome
        permits DiscoveryOutcome.Found, DiscoveryOutcome.Unknown, Failure {

    /**
     * The server serves the resource.
     *
     * @param type the type, in the preferred version or the version that the name specifies
     */
    record Found(ResourceType type) implements DiscoveryOutcome {}

    /**
     * The server is reachable but does not serve the resource.
     *
     * @param similar similar names, possibly none
     */
    record Unknown(List<String> similar) implements DiscoveryOutcome {

        /** Copies the names. */
        public Unknown {
            similar = List.copyOf(similar);
        }
    }
}
