package io.kubemirror.upstream;

import io.kubemirror.model.ResourceType;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A get or a list as a client sent it.
 *
 * @param type the type of the objects
 * @param namespace the namespace, empty for none in the path
 * @param name the object's name, empty for a list
 * @param parameters the query, decoded
 * @param accept the forms that the client can read
 */
public record ForwardRequest(
        ResourceType type,
        String namespace,
        String name,
        Map<String, String> parameters,
        String accept) {

    /**
     * Copies the query, and checks what a URL would take for a way upwards: a client must not reach
     * outside of what is mirrored.
     *
     * @throws IllegalArgumentException if namespace or name is no plain segment of a path
     *     (list-watch.md#pa-19)
     */
    public ForwardRequest {
        parameters = Map.copyOf(parameters);
        if (!isPlain(namespace) || !isPlain(name)) {
            throw new IllegalArgumentException("no object has such a name or namespace");
        }
    }

    private static boolean isPlain(String segment) {
        return !segment.equals(".") && !segment.equals("..") && segment.indexOf('%') < 0;
    }

    /** The segments of the path, not escaped. */
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
