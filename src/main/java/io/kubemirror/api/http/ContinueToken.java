package io.kubemirror.api.http;

import module java.base;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The continue token of a list: the state to read and the position of the next page
 * (list-watch.md#co-1 to #co-11).
 *
 * @param revision the state, or null for the newest one, which is encoded as -1
 * @param start the first key that may be returned, relative to the list's root and without a
 *     leading slash; in a sorted list, the number of objects before the next page
 * @param order what the position depends on in a sorted list, empty for key order
 */
public record ContinueToken(@Nullable Revision revision, String start, String order) {

    private static final String VERSION = "meta.k8s.io/v1";

    /** Keeps no names, because clients choose those of their tokens. */
    private static final JsonMapper MAPPER =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                                    .build())
                    .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    /** Creates the token of a list in key order. */
    public ContinueToken(@Nullable Revision revision, String start) {
        this(revision, start, "");
    }

    /** Returns the token for the keys after a key. */
    public static ContinueToken after(Revision revision, String key) {
        return new ContinueToken(revision, key + "\0");
    }

    /** Returns a token for the same position in the newest state (list-watch.md#co-10). */
    public ContinueToken inconsistent() {
        return new ContinueToken(null, start);
    }

    /** The JSON content of a token, as it is written. */
    private record TokenContent(
            String v, BigInteger rv, String start, @JsonInclude(Include.NON_EMPTY) String order) {}

    /** Returns the encoded token. */
    public String encode() {
        BigInteger rv = new BigInteger(revision == null ? "-1" : revision.digits());
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(GoJson.bytes(new TokenContent(VERSION, rv, "/" + start, order)));
    }

    /**
     * Parses a token. Unknown members are ignored.
     *
     * @throws Rejection if the token is invalid (list-watch.md#co-9)
     */
    public static ContinueToken decode(String text) throws Rejection {
        JsonNode content = content(base64(text));
        String version = member(content, "v", JsonNode::isString, "");
        String digits = member(content, "rv", JsonNode::isIntegralNumber, "0");
        String path = member(content, "start", JsonNode::isString, "");
        String order = member(content, "order", JsonNode::isString, "");
        if (!version.equals(VERSION)) {
            throw invalid("server does not recognize this encoded version " + version);
        }
        if (digits.equals("0")) {
            throw invalid("incorrect encoded start resourceVersion (version " + VERSION + ")");
        }
        if (path.isEmpty()) {
            throw invalid("encoded start key empty (version " + VERSION + ")");
        }
        String key = path.startsWith("/") ? path.substring(1) : path;
        if (!isClean(key)) {
            throw invalid(path);
        }
        return new ContinueToken(digits.startsWith("-") ? null : new Revision(digits), key, order);
    }

    private static JsonNode content(byte[] json) throws Rejection {
        try {
            JsonNode content = MAPPER.readTree(json);
            if (content.isObject()) {
                return content;
            }
        } catch (JacksonException malformed) {
            throw invalid("it is not JSON");
        }
        throw invalid("json: cannot unmarshal into Go value of type storage.continueToken");
    }

    private static String member(
            JsonNode content, String name, Predicate<JsonNode> fits, String absent)
            throws Rejection {
        JsonNode value = content.get(name);
        if (value == null) {
            return absent;
        }
        if (!fits.test(value)) {
            throw invalid("json: cannot unmarshal into Go struct field continueToken." + name);
        }
        return value.asString();
    }

    /** Whether cleaning the path leaves it unchanged, so that it stays below its root. */
    private static boolean isClean(String key) {
        return key.isEmpty()
                || Stream.of(key.split("/", -1)).noneMatch(Set.of("", ".", "..")::contains);
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

    /**
     * Returns the number of objects of a sorted list before the next page.
     *
     * @param wanted what the positions of the list that the client requests depend on
     * @throws Rejection if the token is of another list (list-watch.md#or-5)
     */
    public int position(String wanted) throws Rejection {
        if (!order.equals(wanted) || (!order.isEmpty() && !start.matches("\\d{1,9}"))) {
            throw invalid("it is of a list in another order or of other objects");
        }
        return order.isEmpty() ? 0 : Integer.parseInt(start);
    }

    private static Rejection invalid(String why) {
        return Rejection.badRequest("invalid continue token: continue key is not valid: " + why);
    }
}
