package io.kubemirror.api.encode.table;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A path into an object, as definitions of custom resources write it: members, elements, slices,
 * wildcards, filters and descendants.
 *
 * <p>What is not there is skipped, as the API server does for columns. Rejected: a library. The
 * well-kept ones read another dialect (no escaped dots, other filters) and bring a second JSON
 * parser with them.
 */
final class JsonPath {

    private final List<PathStep> steps;

    JsonPath(List<PathStep> steps) {
        this.steps = List.copyOf(steps);
    }

    /** Reads a path; one that makes no sense leads nowhere, since the API server took it. */
    static JsonPath parse(String text) {
        try {
            return new JsonPath(new JsonPathParser(text).path());
        } catch (IllegalArgumentException unreadable) {
            return new JsonPath(List.of(new PathStep.Nowhere()));
        }
    }

    /** The first value that the path leads to. */
    Optional<JsonNode> first(JsonNode from) {
        return all(from).findFirst();
    }

    /** All values that the path leads to, in the order in which they stand. */
    Stream<JsonNode> all(JsonNode from) {
        Stream<JsonNode> reached = Stream.of(from);
        for (PathStep step : steps) {
            reached = reached.flatMap(step::from);
        }
        return reached;
    }
}
