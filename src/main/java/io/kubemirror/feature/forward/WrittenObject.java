package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the answer to a write says about the object: its metadata, or that of a deletion in a {@code
 * Status}.
 *
 * @param name the name, empty if the document has none
 * @param uid the UID, empty if the document has none
 * @param revision the resource version, empty if the document has none
 * @param labels the labels; null if they are unknown, because the document is another view of the
 *     object
 * @param gone whether the object is deleted. The revision is then that of an earlier state, as in
 *     the answer to a deletion by API servers before 1.26
 */
record WrittenObject(
        String name,
        String uid,
        String revision,
        @Nullable Map<String, String> labels,
        boolean gone) {

    /**
     * The most of an answer that is read ahead, in bytes. Metadata comes first in the JSON of
     * built-in types, and is rarely larger.
     */
    static final int MAX_LENGTH = 64 * 1024;

    private static final String STATUS = "Status";

    /** The kinds that show an object with metadata of their own. */
    private static final Set<String> VIEWS = Set.of("Scale", "Table");

    private static final Set<String> MEMBERS = Set.of("kind", "metadata", "details");

    private static final JsonMapper JSON =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
                                    .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                                    .build())
                    .build();

    /**
     * Reads an answer.
     *
     * @param beginning the answer, or its beginning
     * @param deletion whether the request deletes the object
     * @return empty if it is in another format, or names its object too late
     */
    static Optional<WrittenObject> read(String contentType, byte[] beginning, boolean deletion) {
        try {
            return contentType.split(";", 2)[0].strip().equals(ResponseDocument.JSON)
                    ? of(
                            members(new ByteArrayInputStream(beginning), WrittenObject::isComplete),
                            deletion)
                    : Optional.empty();
        } catch (JacksonException unfit) {
            return Optional.empty();
        }
    }

    /**
     * Reads a JSON document, such as a list, until its revision, or to its end if it has none.
     *
     * @return the revision, empty if the document has none or is not JSON
     */
    static Optional<Revision> revision(InputStream document) {
        try {
            JsonNode metadata = members(document, found -> found.has("metadata")).path("metadata");
            return Optional.of(text(metadata, "resourceVersion"))
                    .filter(Revision::isDecimal)
                    .map(Revision::new);
        } catch (JacksonException malformed) {
            return Optional.empty();
        }
    }

    /** Reads the members of a JSON object until enough is known; the rest stays unread. */
    private static ObjectNode members(InputStream document, Predicate<ObjectNode> complete) {
        ObjectNode found = JSON.createObjectNode();
        try (JsonParser json = JSON.createParser(document)) {
            boolean more = json.nextToken() == JsonToken.START_OBJECT;
            while (more && json.nextToken() == JsonToken.PROPERTY_NAME) {
                String member = json.currentName();
                json.nextToken();
                if (MEMBERS.contains(member)) {
                    found.set(member, json.<JsonNode>readValueAsTree());
                } else {
                    json.skipChildren();
                }
                more = !complete.test(found);
            }
        }
        return found;
    }

    private static boolean isComplete(ObjectNode found) {
        return found.has("kind")
                && found.has("metadata")
                && (found.has("details") || !text(found, "kind").equals(STATUS));
    }

    /** Returns the object, empty if the answer is neither one nor a Status. */
    private static Optional<WrittenObject> of(ObjectNode answer, boolean deletion) {
        String kind = text(answer, "kind");
        if (kind.equals(STATUS)) {
            JsonNode named = answer.path("details");
            return Optional.of(
                    new WrittenObject(text(named, "name"), text(named, "uid"), "", null, deletion));
        }
        JsonNode metadata = answer.path("metadata");
        if (kind.isEmpty() || !metadata.isObject()) {
            return Optional.empty();
        }
        // What keeps a deleted object is in it, with the time of its deletion. The API server
        // deletes an object that is updated to have nothing that keeps it any more.
        boolean deleting = !text(metadata, "deletionTimestamp").isEmpty();
        boolean kept =
                !text(metadata, "deletionGracePeriodSeconds").matches("0|")
                        || !metadata.path("finalizers").isEmpty();
        Map<String, String> labels = new HashMap<>();
        metadata.path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asString("")));
        return Optional.of(
                new WrittenObject(
                        text(metadata, "name"),
                        text(metadata, "uid"),
                        text(metadata, "resourceVersion"),
                        VIEWS.contains(kind) ? null : labels,
                        deletion ? !(deleting && kept) : deleting && !kept));
    }

    private static String text(JsonNode node, String member) {
        return node.path(member).asString("");
    }

    /**
     * Returns the revision of the write, empty if it is unknown. The resource version of an object
     * that is gone is older.
     */
    Optional<Revision> reached() {
        return Revision.isDecimal(revision) && !gone && !revision.equals("0")
                ? Optional.of(new Revision(revision))
                : Optional.empty();
    }
}
