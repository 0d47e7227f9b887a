package io.kubemirror.api.read;

import io.kubemirror.source.DocumentFilter;

import java.util.Optional;

/**
 * The resources of which a part of each object is hidden (list-watch.md#ca-4c), as configured: also
 * those whose mirrors have not started.
 */
@FunctionalInterface
public interface HiddenFields {

    /** Nothing is hidden. */
    HiddenFields NONE = (_, _) -> Optional.empty();

    /**
     * Returns what removes the hidden part of a resource, in whatever version, from documents of
     * the API server.
     *
     * @param group the API group, empty for core
     * @return empty if nothing is hidden
     */
    Optional<DocumentFilter> of(String group, String plural);
}
