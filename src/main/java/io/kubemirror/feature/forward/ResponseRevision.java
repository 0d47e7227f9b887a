package io.kubemirror.feature.forward;

import io.kubemirror.model.Revision;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

import java.io.InputStream;
import java.util.Optional;
import java.util.function.Function;

/** Extracts the revision of an object or a list from its JSON, wherever it is located. */
final class ResponseRevision {

    /**
     * The parser does not close the document; the caller does. It keeps no member names, because
     * clients and the API server choose them.
     */
    private static final JsonFactory JSON =
            JsonFactory.builder()
                    .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
                    .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                    .build();

    private ResponseRevision() {}

    /**
     * Reads a document until its revision, or to its end if it has none.
     *
     * @return the revision, empty if the document has none or is not JSON
     */
    static Optional<Revision> read(InputStream document) {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), document)) {
            return member(
                    json,
                    "metadata",
                    metadata -> member(metadata, "resourceVersion", ResponseRevision::ofText));
        } catch (JacksonException malformed) {
            return Optional.empty();
        }
    }

    private static Optional<Revision> ofText(JsonParser json) {
        String text = json.currentToken() == JsonToken.VALUE_STRING ? json.getString() : "";
        return Revision.isDecimal(text) ? Optional.of(new Revision(text)) : Optional.empty();
    }

    /** Reads one member of an object and skips the others. */
    private static Optional<Revision> member(
            JsonParser json, String name, Function<JsonParser, Optional<Revision>> value) {
        JsonToken opening = json.currentToken() == null ? json.nextToken() : json.currentToken();
        if (opening != JsonToken.START_OBJECT) {
            json.skipChildren();
            return Optional.empty();
        }
        Optional<Revision> found = Optional.empty();
        while (found.isEmpty() && json.nextToken() == JsonToken.PROPERTY_NAME) {
            boolean wanted = json.currentName().equals(name);
            json.nextToken();
            if (wanted) {
                found = value.apply(json);
            } else {
                json.skipChildren();
            }
        }
        return found;
    }
}
