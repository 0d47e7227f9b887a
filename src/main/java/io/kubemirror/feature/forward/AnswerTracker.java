package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.Floors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Raises the floors of mirrors by what the API server answers to one request, before its client
 * gets anything of the answer: no later read shows an earlier state (list-watch.md#fr-4, #ry-1,
 * #ry-4). Requests that are sent elsewhere are not tracked. Safe for use by any thread.
 *
 * @param discovered whether a type comes from the API server. Another source is asked for its own
 *     revision, which shows what the API server has stored there
 * @param method the method, such as {@code PATCH}
 */
record AnswerTracker(
        Floors floors, Predicate<ResourceType> discovered, String method, RequestPath path) {

    /**
     * The most of an answer that is read ahead, in bytes. Metadata comes first in the JSON of
     * built-in types, and is rarely larger.
     */
    static final int MAX_LENGTH = 64 * 1024;

    private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

    /** Refusals that prove that the server has another state than the client expects. */
    private static final Set<Integer> PROOFS = Set.of(404, 409, 410, 412, 422);

    /** Returns whether the request may change objects. One with {@code dryRun} may, too. */
    boolean isWrite() {
        return !READS.contains(method);
    }

    /** Returns whether a mirror may show what the answer is about. */
    boolean isTracked() {
        return !floors.answering(this::concerns).isEmpty();
    }

    /**
     * Records the answer.
     *
     * @param code the status code
     * @param contentType the content type, empty if there is none
     * @param beginning the first {@link #MAX_LENGTH} bytes of the body, not compressed
     * @return the revision that clients have seen now, empty if it is unknown
     */
    Optional<Revision> answered(int code, String contentType, InputStream beginning) {
        if (code / 100 == 2) {
            return revision(contentType, beginning, method.equals("DELETE"))
                    .filter(_ -> !isDeletionOfSeveral())
                    .map(this::raise)
                    .or(() -> floors.raiseToNewest(this::concerns));
        }
        if (code >= 500) {
            unanswered();
        }
        return PROOFS.contains(code) ? floors.raiseToNewest(this::concerns) : Optional.empty();
    }

    /** The answer has the revisions before the deletions, if any. */
    private boolean isDeletionOfSeveral() {
        return method.equals("DELETE") && path instanceof RequestPath.Collection;
    }

    private Revision raise(Revision at) {
        floors.raise(mirror -> concerns(mirror) && isComparable(mirror), at);
        floors.raiseToNewest(mirror -> concerns(mirror) && !isComparable(mirror));
        return at;
    }

    /**
     * Records that a write may have been done although the API server has not answered it, for
     * example because the connection was cut. The next read asks.
     */
    void unanswered() {
        if (isWrite()) {
            floors.raiseToUnknown(this::concerns);
        }
    }

    private boolean isComparable(Mirror mirror) {
        return mirror.type().map(discovered::test).orElse(true);
    }

    private boolean concerns(Mirror mirror) {
        return switch (path) {
            case RequestPath.OfResource named ->
                    concerns(changed(named.resource()), named.namespace(), mirror);
            case RequestPath.Part part ->
                    !isDetached(part) && concerns(part.resource(), part.namespace(), mirror);
            default -> false;
        };
    }

    /** Returns whether a subresource is no part of an object. */
    private static boolean isDetached(RequestPath.Part part) {
        String name = part.subresource().split("/", 2)[0];
        return PassThrough.CONNECTIONS.contains(name) || name.equals("token");
    }

    /** Returns the resource that a write changes: legacy bindings change pods. */
    private static RequestPath.Resource changed(RequestPath.Resource named) {
        RequestPath.Resource bindings = new RequestPath.Resource("", "v1", "bindings");
        return named.equals(bindings) ? new RequestPath.Resource("", "v1", "pods") : named;
    }

    /**
     * Returns whether a mirror may show objects of a resource. Other versions of a type are other
     * views of the same objects.
     *
     * @param namespace the namespace of the objects, empty for all or if they have none
     */
    private static boolean concerns(
            RequestPath.Resource resource, String namespace, Mirror mirror) {
        ResourceType type = mirror.type().orElse(null);
        if (type == null) {
            ResourceName name = mirror.scope().resource();
            return isIn(namespace, mirror)
                    && name.match(resource.group(), resource.version(), resource.plural())
                            != ResourceName.Match.NONE;
        }
        return type.plural().equals(resource.plural())
                && (type.group().equals(resource.group())
                        || (isEvent(type.group(), mirror) && isEvent(resource.group(), mirror)))
                && isIn(namespace, mirror);
    }

    /** Events are the same objects in both of their groups. */
    private static boolean isEvent(String group, Mirror mirror) {
        return mirror.scope().resource().plural().equals("events")
                && Set.of("", "events.k8s.io").contains(group);
    }

    private static boolean isIn(String namespace, Mirror mirror) {
        return namespace.isEmpty() || mirror.scope().includes(namespace);
    }

    /**
     * Returns the revision of an object or a list.
     *
     * @param document the answer, or its beginning
     * @param deletion whether the request deletes the object
     * @return empty if it is in another format, has its metadata too late, or has none; also if the
     *     object is gone, because its revision may be that of the state before
     */
    static Optional<Revision> revision(String contentType, InputStream document, boolean deletion) {
        try {
            return contentType.split(";", 2)[0].strip().equals("application/json")
                    ? revision(document, deletion)
                    : Optional.empty();
        } catch (JacksonException unfit) {
            return Optional.empty();
        }
    }

    private static Optional<Revision> revision(InputStream document, boolean deletion) {
        try (JsonParser json = JsonMapper.shared().createParser(document)) {
            boolean more = json.nextToken() == JsonToken.START_OBJECT;
            while (more && json.nextToken() == JsonToken.PROPERTY_NAME) {
                String member = json.currentName();
                json.nextToken();
                if (member.equals("metadata")) {
                    return shown(json.readValueAsTree(), deletion);
                }
                json.skipChildren();
            }
            return Optional.empty();
        }
    }

    private static Optional<Revision> shown(JsonNode metadata, boolean deletion) {
        return Optional.of(text(metadata, "resourceVersion"))
                .filter(text -> Revision.isDecimal(text) && !text.equals("0"))
                .filter(_ -> !isGone(metadata, deletion))
                .map(Revision::new);
    }

    /**
     * What keeps a deleted object is in it, with the time of its deletion. The API server deletes
     * an object that is updated to have nothing that keeps it any more.
     */
    private static boolean isGone(JsonNode metadata, boolean deletion) {
        boolean deleting = !text(metadata, "deletionTimestamp").isEmpty();
        boolean kept =
                !text(metadata, "deletionGracePeriodSeconds").matches("0|")
                        || !metadata.path("finalizers").isEmpty();
        return deletion ? !(deleting && kept) : deleting && !kept;
    }

    private static String text(JsonNode node, String member) {
        return node.path(member).asString("");
    }
}
