package io.kubemirror.api.encode.table;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A JSONPath expression in the dialect of custom resource definitions: members, elements, slices,
 * wildcards, filters, and descendants.
 *
 * <p>Missing members are skipped, as in the columns of the API server. Rejected: a library. The
 * well-maintained ones implement a different dialect (no escaped dots, other filters) and add a
 * second JSON parser.
 */
final class JsonPath {

    private final List<PathStep> steps;

    JsonPath(List<PathStep> steps) {
        this.steps = List.copyOf(steps);
    }

    /** Parses a path. An invalid path yields no values, since the API server has accepted it. */
    static JsonPath parse(String text) {
        try {
            return new JsonPath(new JsonPathParser(text).path());
        } catch (IllegalArgumentException unreadable) {
            return new JsonPath(List.of(new PathStep.Nowhere()));
        }
    }

    /** Returns the first value of the path. */
    Optional<JsonNode> first(JsonNode from) {
        return all(from).findFirst();
    }

    /** Returns all values of the path, in document order. */
    Stream<JsonNode> all(JsonNode from) {
        Stream<JsonNode> reached = Stream.of(from);
        for (PathStep step : steps) {
            reached = reached.flatMap(step::from);
        }
        return reached;
    }
}
