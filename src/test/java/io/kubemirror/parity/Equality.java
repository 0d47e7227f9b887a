package io.kubemirror.parity;

import io.kubemirror.testground.Json;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is taken as equal although its bytes are not; everything else is compared byte by byte.
 *
 * <p>{@link #RULES} says what that is, for those who read the table.
 */
final class Equality {

    /** The rules, in sentences. */
    static final List<String> RULES =
            List.of(
                    "Tokens of pages are compared by what they say; their key may begin with a"
                            + " slash or not (CO-1).",
                    "In the lists of custom resources an empty token is the same as none (EN-5).",
                    "Of a bookmark only kind, version and metadata are compared, in any order"
                            + " (BM-2): the server adds members of the type that are empty.",
                    "The server's own address in discovery is not compared.",
                    "Blanks between the parameters of a media type are not compared.");

    private static final Pattern TOKEN = Pattern.compile("(?<=\"continue\": ?\")[-\\w]+");
    private static final Pattern NO_TOKEN = Pattern.compile("\"continue\": ?\"\",\\s*");
    private static final Pattern BOOKMARK =
            Pattern.compile("^\\{\"type\":\"BOOKMARK\".*$", Pattern.MULTILINE);
    private static final Pattern ADDRESS = Pattern.compile("(?<=\"serverAddress\": ?\")[^\"]+");

    private Equality() {}

    /** The first token in an answer. */
    static Optional<String> tokenIn(String body) {
        return TOKEN.matcher(body).results().map(MatchResult::group).findFirst();
    }

    /** What two bodies must have in common, as text. */
    static String essence(String body) {
        String text = NO_TOKEN.matcher(body).replaceAll("");
        text = TOKEN.matcher(text).replaceAll(token -> quoted(decoded(token.group())));
        text = ADDRESS.matcher(text).replaceAll("own");
        return BOOKMARK.matcher(text).replaceAll(frame -> quoted(bookmark(frame.group())));
    }

    /** What two values of a header must have in common. */
    static String essenceOfHeader(String value) {
        return value.replace("; ", ";");
    }

    private static String quoted(String text) {
        return Matcher.quoteReplacement(text);
    }

    private static String decoded(String token) {
        String json = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
        return json.replace("\"start\":\"/", "\"start\":\"");
    }

    private static String bookmark(String frame) {
        JsonNode object = Json.parse(frame).path("object");
        ObjectNode essence = Json.object().put("type", "BOOKMARK");
        if (!object.path("kind").asString("").equals("Table")) {
            for (String member : List.of("kind", "apiVersion")) {
                essence.set(member, object.path(member));
            }
            for (String member : List.of("resourceVersion", "annotations")) {
                essence.set(member, object.path("metadata").path(member));
            }
            return Json.text(essence);
        }
        return frame;
    }
}
