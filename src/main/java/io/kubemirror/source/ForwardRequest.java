package io.kubemirror.source;

import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A get or a list as sent by a client.
 *
 * @param type the type of the objects
 * @param namespace the namespace, empty if the path has none
 * @param name the name of the object, empty for a list
 * @param parameters the decoded query
 * @param accept the media types that the client accepts
 * @param gzip whether the client accepts gzip
 */
public record ForwardRequest(
        ResourceType type,
        String namespace,
        String name,
        Map<String, String> parameters,
        String accept,
        boolean gzip) {

    /**
     * Copies the query, and rejects path segments such as {@code ..}, so that a client cannot reach
     * resources that are not mirrored.
     *
     * @throws IllegalArgumentException if the namespace or the name is not a plain path segment
     *     (list-watch.md#pa-19)
     */
    public ForwardRequest {
        parameters = Map.copyOf(parameters);
        if (!ObjectKey.isSegment(namespace) || !ObjectKey.isSegment(name)) {
            throw new IllegalArgumentException("invalid name or namespace");
        }
    }

    /** Returns the unescaped segments of the path. */
    public List<String> segments() {
        List<String> segments =
                new ArrayList<>(List.of(type.collectionPath().substring(1).split("/", -1)));
        if (!namespace.isEmpty()) {
            segments.addAll(segments.size() - 1, List.of("namespaces", namespace));
        }
        Stream.of(name).filter(text -> !text.isEmpty()).forEach(segments::add);
        return segments;
    }
}
