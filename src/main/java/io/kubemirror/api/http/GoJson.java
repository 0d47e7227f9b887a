package io.kubemirror.api.http;

import module java.base;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/** Serializes JSON with the escapes of the API server (list-watch.md#errors). */
public final class GoJson {

    /**
     * What stored JSON may be: as deep as the API server allows, with names, texts, and numbers as
     * long as an object.
     */
    private static final StreamReadConstraints STORED =
            StreamReadConstraints.builder()
                    .maxNestingDepth(KubeObject.MAX_DEPTH)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build();

    /** Creates parsers, which share the names of members. A copy of it shares none. */
    public static final JsonFactory PARSERS =
            JsonFactory.builder()
                    .enable(StreamReadFeature.USE_FAST_BIG_NUMBER_PARSER)
                    .streamReadConstraints(STORED)
                    .build();

    private static final JsonFactory JSON =
            PARSERS.rebuild().characterEscapes(new GoEscapes()).build();

    /** Writes the members of records in the order of their declaration. */
    private static final JsonMapper MAPPER =
            JsonMapper.builder(JSON).disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY).build();

    /** Omits empty, zero, and null members. */
    private static final JsonMapper STATUS_MAPPER =
            MAPPER.rebuild()
                    .changeDefaultPropertyInclusion(
                            any -> any.withValueInclusion(Include.NON_DEFAULT))
                    .build();

    private GoJson() {}

    private record StatusDocument(
            String kind,
            String apiVersion,
            Metadata metadata,
            String status,
            @JsonInclude String message,
            String reason,
            Status.@Nullable Details details,
            int code) {

        private record Metadata(@JsonProperty("continue") @Nullable String continueToken) {}
    }

    /** Returns the JSON of a Status, with the members in the API server's order. */
    public static byte[] status(Status status) {
        return STATUS_MAPPER.writeValueAsBytes(
                new StatusDocument(
                        "Status",
                        "v1",
                        new StatusDocument.Metadata(status.continueToken()),
                        "Failure",
                        status.message(),
                        status.reason(),
                        status.details(),
                        status.code()));
    }

    /** Returns the JSON of a Status on one line that ends with a newline (list-watch.md#st-2). */
    public static byte[] statusLine(Status status) {
        return line(status(status));
    }

    /** Returns the JSON of a value as text. */
    public static String text(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    /** Returns the JSON of a value. */
    public static byte[] bytes(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }

    /** Returns the JSON of a value on one line that ends with a newline (list-watch.md#en-8). */
    public static byte[] line(Object value) {
        return line(bytes(value));
    }

    private static byte[] line(byte[] json) {
        byte[] line = Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        return line;
    }

    /**
     * Returns a parser of a part of stored JSON, which may be nested as deeply as the API server
     * allows.
     */
    public static JsonParser parser(byte[] json, int start, int length) {
        return PARSERS.createParser(ObjectReadContext.empty(), json, start, length);
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
