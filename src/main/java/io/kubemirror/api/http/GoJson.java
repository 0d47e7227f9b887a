package io.kubemirror.api.http;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.SerializableString;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

import java.util.Arrays;

/** Serializes JSON with the escapes of the API server (list-watch.md#errors). */
public final class GoJson {

    private static final JsonFactory JSON =
            JsonFactory.builder().characterEscapes(new GoEscapes()).build();
    private static final JsonMapper MAPPER =
            JsonMapper.builder(JSON).disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY).build();

    private GoJson() {}

    /** Returns a mapper that writes the members of records in the order of their declaration. */
    static JsonMapper mapper() {
        return MAPPER;
    }

    /** Returns the JSON of a value. */
    public static byte[] bytes(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }

    /** Returns the JSON of a value on one line that ends with a newline (list-watch.md#en-8). */
    public static byte[] line(Object value) {
        return line(bytes(value));
    }

    /** Returns the JSON with a newline at its end. */
    static byte[] line(byte[] json) {
        byte[] line = Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        return line;
    }

    /** Parses stored JSON. */
    public static JsonNode tree(byte[] json) {
        return MAPPER.readTree(json);
    }

    /**
     * Go's escapes: lowercase hexadecimal digits, and escapes of the characters with a meaning in
     * HTML or JavaScript.
     */
    private static final class GoEscapes extends CharacterEscapes {

        private static final long serialVersionUID = 1L;
        private static final String OTHERS = "<>&\u2028\u2029";

        @Override
        public int[] getEscapeCodesForAscii() {
            int[] codes = standardAsciiEscapesForJSON();
            for (char c : new char[] {'<', '>', '&'}) {
                codes[c] = ESCAPE_CUSTOM;
            }
            for (char c = 0; c < ' '; c++) {
                if (codes[c] == ESCAPE_STANDARD) {
                    codes[c] = ESCAPE_CUSTOM;
                }
            }
            return codes;
        }

        @Override
        public @Nullable SerializableString getEscapeSequence(int c) {
            return c < ' ' || OTHERS.indexOf(c) >= 0
                    ? new SerializedString(String.format("\\u%04x", c))
                    : null;
        }
    }
}
