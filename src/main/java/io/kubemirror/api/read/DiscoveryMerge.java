package io.kubemirror.api.read;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Adds one discovery document to another. All documents are built alike: groups have versions, and
 * versions have resources, each with a name.
 */
final class DiscoveryMerge {

    private static final Set<String> LISTS = Set.of("groups", "items", "versions", "resources");

    private DiscoveryMerge() {}

    /**
     * Appends each group, version, and resource that a document lacks. What it has stays as it is,
     * so versions that are appended are not preferred.
     *
     * @param from a document of the same kind
     * @param to the document to add to
     * @return whether anything was missing
     */
    static boolean add(JsonNode from, ObjectNode to) {
        boolean added = false;
        for (String name : LISTS) {
            for (JsonNode element : from.path(name)) {
                // Also in place of null, which stands for an empty list.
                ArrayNode list =
                        to.get(name) instanceof ArrayNode known ? known : to.putArray(name);
                added |= add(element, list);
            }
        }
        return added;
    }

    private static boolean add(JsonNode element, ArrayNode to) {
        Optional<String> name = name(element);
        for (JsonNode known : to) {
            if (name(known).equals(name)) {
                return known instanceof ObjectNode present && add(element, present);
            }
        }
        to.add(element);
        return true;
    }

    /** Returns the name of a group, a version, or a resource, empty if it is the core group. */
    private static Optional<String> name(JsonNode element) {
        return Stream.of("/name", "/resource", "/version", "/metadata/name")
                .map(path -> element.at(path).asString(""))
                .filter(name -> !name.isEmpty())
                .findFirst();
    }
}
