package io.kubemirror.api.http;

import io.kubemirror.model.GoString;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The continue token of a list: the state to read and the position of the next page
 * (list-watch.md#co-1 to #co-11a).
 *
 * @param revision the state, or null for the newest one, which is encoded as -1
 * @param start the first key that may be returned, relative to the list's root and without a
 *     leading slash
 */
public record ContinueToken(@Nullable Revision revision, String start) {

    private static final String VERSION = "meta.k8s.io/v1";

    /** Keeps no names, because clients choose those of their tokens. */
    private static final JsonFactory JSON =
            JsonFactory.builder()
                    .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                    .build();

    /** Returns the token for the keys after a key. */
    public static ContinueToken after(Revision revision, String key) {
        return new ContinueToken(revision, key + "\0");
    }

    /** Returns a token for the same position in the newest state (list-watch.md#co-10). */
    public ContinueToken inconsistent() {
        return new ContinueToken(null, start);
    }

    /** Returns the encoded token. */
    public String encode() {
        StringWriter json = new StringWriter();
        try (JsonGenerator generator = JsonMapper.shared().createGenerator(json)) {
            generator.writeStartObject();
            generator.writeStringProperty("v", VERSION);
            generator.writeName("rv");
            generator.writeNumber(revision == null ? "-1" : revision.digits());
            generator.writeStringProperty("start", "/" + start);
            generator.writeEndObject();
        }
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(json.toString().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Parses a token.
     *
     * @throws Rejection if the token is invalid (list-watch.md#co-9)
     */
    public static ContinueToken decode(String text) throws Rejection {
        TokenContent content = TokenContent.read(base64(text));
        if (!content.version.equals(VERSION)) {
            throw invalid("server does not recognize this encoded version " + content.version);
        }
        if (content.revision.equals("0")) {
            throw invalid("incorrect encoded start resourceVersion (version " + VERSION + ")");
        }
        if (content.start.isEmpty()) {
            throw invalid("encoded start key empty (version " + VERSION + ")");
        }
        String key = content.start.startsWith("/") ? content.start.substring(1) : content.start;
        if (!isClean(key)) {
            throw invalid(content.start);
        }
        return new ContinueToken(
                content.revision.startsWith("-") ? null : new Revision(content.revision), key);
    }

    /** Whether cleaning the path leaves it unchanged, so that it stays below its root. */
    private static boolean isClean(String key) {
        if (key.isEmpty()) {
            return true;
        }
        for (String segment : key.split("/", -1)) {
            if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
                return false;
            }
        }
        return true;
    }

    /** Decodes as Go does: without padding, and ignoring line breaks. */
    private static byte[] base64(String text) throws Rejection {
        StringBuilder digits = new StringBuilder(text.length());
        int quantum = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\r' || c == '\n') {
                continue;
            }
            boolean legal = c < 128 && (Character.isLetterOrDigit(c) || c == '-' || c == '_');
            if (!legal) {
                throw illegalBase64(i);
            }
            if (digits.length() % 4 == 0) {
                quantum = i;
            }
            digits.append(c);
        }
        if (digits.length() % 4 == 1) {
            throw illegalBase64(quantum);
        }
        return Base64.getUrlDecoder().decode(digits.toString());
    }

    private static Rejection illegalBase64(int index) {
        return invalid("illegal base64 data at input byte " + index);
    }

    private static Rejection invalid(String why) {
        return Rejection.badRequest("invalid continue token: continue key is not valid: " + why);
    }

    /** The JSON content of a token. Unknown fields are ignored. */
    private static final class TokenContent {

        private String version = "";
        private String revision = "0";
        private String start = "";

        static TokenContent read(byte[] json) throws Rejection {
            TokenContent content = new TokenContent();
            try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
                if (parser.nextToken() != JsonToken.START_OBJECT) {
                    throw invalid(
                            "json: cannot unmarshal into Go value of type storage.continueToken");
                }
                while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                    content.readMember(parser);
                }
            } catch (JacksonException malformed) {
                throw invalid(complaint(json));
            }
            return content;
        }

        private void readMember(JsonParser parser) throws Rejection {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (name) {
                case "v" -> version = expect(value, JsonToken.VALUE_STRING, name, parser);
                case "rv" -> revision = expect(value, JsonToken.VALUE_NUMBER_INT, name, parser);
                case "start" -> start = expect(value, JsonToken.VALUE_STRING, name, parser);
                default -> parser.skipChildren();
            }
        }

        private static String expect(
                JsonToken value, JsonToken expected, String name, JsonParser parser)
                throws Rejection {
            if (value != expected) {
                throw invalid("json: cannot unmarshal into Go struct field continueToken." + name);
            }
            return parser.getString();
        }

        private static String complaint(byte[] json) {
            int first = 0;
            while (first < json.length && json[first] >= 0 && json[first] <= ' ') {
                first++;
            }
            return first == json.length || json[first] == '{'
                    ? "unexpected end of JSON input"
                    : "invalid character "
                            + quoted((char) (json[first] & 0xff))
                            + " looking for beginning of value";
        }

        /** Quotes a byte as Go's parser does, which treats it as a character. */
        private static String quoted(char c) {
            return switch (c) {
                case '\'' -> "'\\''";
                case '"' -> "'\"'";
                default -> GoString.quote(String.valueOf(c)).replace('"', '\'');
            };
        }
    }
}
