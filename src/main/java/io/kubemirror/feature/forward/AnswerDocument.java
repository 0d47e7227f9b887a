package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.model.Revision;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads in the answer of an API server which revision it shows. */
final class AnswerDocument {

    /**
     * The most of an answer that is read ahead, in bytes. Metadata comes first in the JSON of
     * built-in types, and is rarely larger.
     */
    static final int MAX_LENGTH = 64 * 1024;

    private AnswerDocument() {}

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
                    return of(json.readValueAsTree(), deletion);
                }
                json.skipChildren();
            }
            return Optional.empty();
        }
    }

    private static Optional<Revision> of(JsonNode metadata, boolean deletion) {
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
