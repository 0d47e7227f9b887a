package io.kubemirror.feature.forward;

import io.kubemirror.model.Revision;

import org.apache.commons.io.input.BoundedInputStream;
import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

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

    static final String STATUS = "Status";

    /** The kinds that show an object with metadata of their own. */
    private static final String SCALE = "Scale";

    private static final String TABLE = "Table";

    private static final JsonFactory JSON =
            JsonFactory.builder()
                    .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
                    .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                    .build();

    /**
     * Reads the beginning of an answer.
     *
     * @param deletion whether the request deletes the object
     * @return empty if it is in another format, or names its object too late
     */
    static Optional<WrittenObject> read(String contentType, InputStream answer, boolean deletion) {
        String media = contentType.split(";", 2)[0].strip();
        try {
            InputStream beginning =
                    BoundedInputStream.builder()
                            .setInputStream(answer)
                            .setMaxCount(MAX_LENGTH)
                            .setPropagateClose(false)
                            .get();
            return switch (media) {
                case "application/json" -> new Draft(deletion).json(beginning);
                case ProtobufAnswer.MEDIA_TYPE -> ProtobufAnswer.read(beginning, deletion);
                default -> Optional.empty();
            };
        } catch (IOException | JacksonException unreadable) {
            return Optional.empty();
        }
    }

    /**
     * Reads a JSON document, such as a list, until its revision, or to its end if it has none.
     *
     * @return the revision, empty if the document has none or is not JSON
     */
    static Optional<Revision> revision(InputStream document) {
        Draft draft = new Draft(false);
        draft.kind = "any";
        try {
            var _ = draft.json(document);
        } catch (JacksonException malformed) {
            return Optional.empty();
        }
        return Revision.isDecimal(draft.revision)
                ? Optional.of(new Revision(draft.revision))
                : Optional.empty();
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

    /** The parts of an answer that have been read. Used by one thread. */
    static final class Draft {

        String kind = "";
        String name = "";
        String uid = "";
        String revision = "";
        final Map<String, String> labels = new HashMap<>();
        boolean deleting;
        boolean kept;
        String detailName = "";
        String detailUid = "";
        private final boolean deletion;
        private boolean described;
        private boolean detailed;

        /**
         * Creates a draft of which nothing is known.
         *
         * @param deletion whether the request deletes the object
         */
        Draft(boolean deletion) {
            this.deletion = deletion;
        }

        /** Returns the object, empty if the document is neither one nor a Status. */
        Optional<WrittenObject> object() {
            if (kind.isEmpty()) {
                return Optional.empty();
            }
            if (kind.equals(STATUS)) {
                return Optional.of(new WrittenObject(detailName, detailUid, "", null, deletion));
            }
            // What keeps a deleted object is in it, with the time of its deletion. The API server
            // deletes an object that is updated to have nothing that keeps it any more.
            boolean gone = deletion ? !(deleting && kept) : deleting && !kept;
            boolean partial = kind.equals(SCALE) || kind.equals(TABLE);
            return Optional.of(
                    new WrittenObject(name, uid, revision, partial ? null : labels, gone));
        }

        private Optional<WrittenObject> json(InputStream document) {
            try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), document)) {
                json.nextToken();
                members(json, this::member);
                return described ? object() : Optional.empty();
            }
        }

        private boolean isComplete() {
            return described && !kind.isEmpty() && (detailed || !kind.equals(STATUS));
        }

        /** Reads the members of an object until enough is known; the rest stays unread. */
        private void members(JsonParser json, MemberReader reader) {
            if (json.currentToken() != JsonToken.START_OBJECT) {
                json.skipChildren();
                return;
            }
            while (!isComplete() && json.nextToken() == JsonToken.PROPERTY_NAME) {
                String member = json.currentName();
                json.nextToken();
                reader.read(member, json);
            }
        }

        /** Reads the value of a member, at which the parser is. */
        private interface MemberReader {
            void read(String member, JsonParser json);
        }

        private void member(String member, JsonParser json) {
            switch (member) {
                case "kind" -> kind = text(json);
                case "metadata" -> {
                    members(json, this::metadata);
                    described = true;
                }
                case "details" -> {
                    members(json, this::detail);
                    detailed = true;
                }
                default -> json.skipChildren();
            }
        }

        private void metadata(String member, JsonParser json) {
            switch (member) {
                case "name" -> name = text(json);
                case "uid" -> uid = text(json);
                case "resourceVersion" -> revision = text(json);
                case "labels" -> members(json, (label, value) -> labels.put(label, text(value)));
                case "deletionTimestamp" -> deleting = !text(json).isEmpty();
                case "deletionGracePeriodSeconds" -> kept |= !text(json).matches("0|");
                case "finalizers" -> finalizers(json);
                default -> json.skipChildren();
            }
        }

        /** Reads a list of texts, or null. */
        private void finalizers(JsonParser json) {
            boolean list = json.currentToken() == JsonToken.START_ARRAY;
            while (list && json.nextToken() != JsonToken.END_ARRAY) {
                kept = true;
                json.skipChildren();
            }
        }

        private void detail(String member, JsonParser json) {
            switch (member) {
                case "name" -> detailName = text(json);
                case "uid" -> detailUid = text(json);
                default -> json.skipChildren();
            }
        }

        /** Returns a text or a number, empty for everything else. */
        private static String text(JsonParser json) {
            JsonToken token = json.currentToken();
            if (token != null && token.isScalarValue() && token != JsonToken.VALUE_NULL) {
                return json.getString();
            }
            json.skipChildren();
            return "";
        }
    }
}
