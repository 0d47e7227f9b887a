package io.kubemirror.kube.json;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

import java.time.Instant;
import java.time.format.DateTimeParseException;

/** Reads the times that an API server writes into objects. */
final class ObjectTimes {

    private ObjectTimes() {}

    /**
     * Returns the latest time of {@code managedFields}, empty for none. All have the format of the
     * API server.
     *
     * @param parser positioned at the start of the array; afterward at its end
     */
    static String latestChange(JsonParser parser) {
        String latest = "";
        for (JsonToken entry = parser.nextToken();
                entry != null && entry != JsonToken.END_ARRAY;
                entry = parser.nextToken()) {
            String name = entry == JsonToken.START_OBJECT ? parser.nextName() : null;
            while (name != null) {
                JsonToken value = parser.nextToken();
                if (name.equals("time") && value == JsonToken.VALUE_STRING) {
                    String time = parser.getString();
                    latest = time.compareTo(latest) > 0 ? time : latest;
                } else {
                    parser.skipChildren();
                }
                name = parser.nextName();
            }
            parser.skipChildren();
        }
        return latest;
    }

    /** Returns the instant of a text, null if it is none. */
    static @Nullable Instant parse(@Nullable String text) {
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException _) {
            return null;
        }
    }
}
