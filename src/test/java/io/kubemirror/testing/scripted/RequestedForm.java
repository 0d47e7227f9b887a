package io.kubemirror.testing.scripted;

import io.kubemirror.model.Status;
import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The form in which a client wants objects and lists, by its {@code Accept} (list-watch.md#ne-9).
 */
enum RequestedForm {
    /** As they are. */
    WHOLE,
    /** Their metadata alone (list-watch.md#ne-30). */
    METADATA;

    private static final String KIND = "PartialObjectMetadata";

    /**
     * What a request asks for; of its clauses the first counts.
     *
     * @throws StatusException if a list is asked for as an object (list-watch.md#ne-31)
     */
    static RequestedForm of(ReceivedRequest request) {
        String clause = request.header("Accept").split(",", 2)[0];
        if (!clause.contains(";as=" + KIND) || !clause.contains(";g=meta.k8s.io")) {
            return WHOLE;
        }
        boolean list = clause.contains(";as=" + KIND + "List;");
        if (list != (request.verb() == ReceivedRequest.RequestVerb.LIST)) {
            throw new StatusException(new Status(406, "NotAcceptable", "not in this form", null));
        }
        return METADATA;
    }

    /** An object, or a bookmark, in this form. */
    ObjectNode object(ObjectNode object) {
        return switch (this) {
            case WHOLE -> object;
            case METADATA -> partial(KIND, object.path("metadata"));
        };
    }

    /** A list in this form. */
    ObjectNode list(ObjectNode list) {
        return switch (this) {
            case WHOLE -> list;
            case METADATA -> {
                ObjectNode partial = partial(KIND + "List", list.path("metadata"));
                ArrayNode items = partial.putArray("items");
                for (JsonNode item : list.path("items")) {
                    items.add(partial(KIND, item.path("metadata")));
                }
                yield partial;
            }
        };
    }

    private static ObjectNode partial(String kind, JsonNode metadata) {
        ObjectNode partial =
                JsonTrees.object().put("kind", kind).put("apiVersion", "meta.k8s.io/v1");
        partial.set("metadata", metadata);
        return partial;
    }
}
