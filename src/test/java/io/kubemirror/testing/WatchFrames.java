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

    /** An event of an unknown type (list-watch.md#up-39). */
    public static String unknownType(ObjectNode object) {
        return frame("RENAMED", object);
    }

    /** An event whose object has no revision (list-watch.md#up-43). */
    public static String withoutRevision(ObjectNode object) {
        ObjectNode bare = object.deepCopy();
        bare.withObject("metadata").remove("resourceVersion");
        return frame("MODIFIED", bare);
    }

    /** An event whose object is of another kind (list-watch.md#up-42). */
    public static String ofAnotherKind(ObjectNode object) {
        ObjectNode foreign = object.deepCopy();
        return frame("MODIFIED", foreign.put("kind", "Banana").put("apiVersion", "example.org/v9"));
    }

    /** A line that is not JSON. */
    public static String garbage() {
        return "<html>502 Bad Gateway</html>\n";
    }

    /** The first half of a frame, without its end. */
    public static String half(ObjectNode object) {
        String whole = frame("MODIFIED", object);
        return whole.substring(0, whole.length() / 2);
    }
}
