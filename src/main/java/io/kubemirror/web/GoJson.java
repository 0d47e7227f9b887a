package io.kubemirror.web;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.OutputStream;

/** JSON that is made here, escaped as the API server escapes it (spec 0.4). */
final class GoJson {

    private static final JsonFactory JSON =
            JsonFactory.builder().characterEscapes(new GoEscapes()).build();
    private static final JsonMapper TREES = JsonMapper.builder(JSON).build();

    private GoJson() {}

    /** Writes JSON to a stream. */
    static JsonGenerator generator(OutputStream out) {
        return JSON.createGenerator(ObjectWriteContext.empty(), out);
    }

    /** Reads stored JSON. */
    static JsonNode tree(byte[] json) {
        return TREES.readTree(json);
    }

    /** Writes a value in its place. */
    static void write(JsonNode value, JsonGenerator json) {
        TREES.writeTree(json, value);
    }

    /** Go's escapes: lower-case digits, and none of the characters that HTML or JavaScript read. */
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
