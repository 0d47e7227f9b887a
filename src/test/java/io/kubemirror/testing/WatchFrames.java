package io.kubemirror.testing;

import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Status;

import tools.jackson.databind.node.ObjectNode;

/** Valid and invalid watch frames as text. Each ends with a line feed. */
public final class WatchFrames {

    private WatchFrames() {}

    /** A frame of any type with any object. */
    public static String frame(String type, ObjectNode object) {
        ObjectNode frame = JsonTrees.object().put("type", type);
        frame.set("object", object);
        return JsonTrees.text(frame) + "\n";
    }

    /** The in-stream failure that ends a watch (list-watch.md#st-4). */
    public static String error(Status status) {
        return frame("ERROR", FailureStatuses.json(status));
    }

    /** The object of the bookmark that ends the initial events (list-watch.md#bm-10). */
    public static ObjectNode initialEventsEndObject(ResourceType type, long revision) {
        ObjectNode object = bookmarkObject(type, revision);
        object.withObject("metadata")
                .putObject("annotations")
                .put("k8s.io/initial-events-end", "true");
        return object;
    }

    public static ObjectNode bookmarkObject(ResourceType type, long revision) {
        ObjectNode object =
                JsonTrees.object().put("kind", type.kind()).put("apiVersion", type.apiVersion());
        object.putObject("metadata").put("resourceVersion", Long.toString(revision));
        return object;
    }
}
