package io.kubemirror.parity;

import module java.base;

import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Defines which differences of bytes are ignored. Everything else is compared byte by byte.
 *
 * <p>{@link #RULES} lists them for readers of the table.
 */
final class Equality {

    /** The rules, in sentences. */
    static final List<String> RULES =
            List.of(
                    "Continue tokens are compared by their contents. Their key may begin with a"
                            + " slash or not (CO-1).",
                    "In lists of custom resources, an empty token equals no token (EN-5).",
                    "Of bookmarks, only kind, version, and metadata are compared, in any order"
                            + " (BM-2), because the server adds empty members of the type.",
                    "In `PartialObjectMetadata`, the order of members is not compared: the server"
                            + " sorts those of custom resources, kubemirror keeps their order.",
                    "Ages in tables, such as `8s`, are not compared, because the requests are not"
                            + " sent at the same time.",
                    "The address of the server in discovery is not compared.",
                    "Blanks between parameters of a media type are not compared.",
                    "Servers before 1.37 count the objects that remain after a page of a shard"
                            + " (SH-4), and those before 1.36 describe a column of Deployments in"
                            + " other words. Neither is compared.");

    private static final Pattern TOKEN = Pattern.compile("(?<=\"continue\": ?\")[-\\w]+");
    private static final Pattern NO_TOKEN = Pattern.compile("\"continue\": ?\"\",\\s*");
    private static final Pattern BOOKMARK =
            Pattern.compile("^\\{\"type\":\"BOOKMARK\".*$", Pattern.MULTILINE);
    private static final Pattern ADDRESS = Pattern.compile("(?<=\"serverAddress\": ?\")[^\"]+");

    private static final Pattern METADATA =
            Pattern.compile(
                    "\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1(beta1)?\","
                            + "\"metadata\":");
    private static final Pattern TABLE = Pattern.compile("\"kind\": ?\"Table\"");
    private static final Pattern AGE = Pattern.compile("(?<=[\\[,\\s])\"(\\d+[ydhms]){1,2}\"");

    private Equality() {}

    /** The first token in an answer. */
    static Optional<String> tokenIn(String body) {
        return TOKEN.matcher(body).results().map(MatchResult::group).findFirst();
    }

    /** Returns the part of a body that is compared. */
    static String normalized(String body) {
        String text = NO_TOKEN.matcher(body).replaceAll("");
        text = TOKEN.matcher(text).replaceAll(token -> quoted(decoded(token.group())));
        text = ADDRESS.matcher(text).replaceAll("own");
        text = sorted(text);
        text = TABLE.matcher(text).find() ? AGE.matcher(text).replaceAll("\"age\"") : text;
        return BOOKMARK.matcher(text).replaceAll(frame -> quoted(bookmark(frame.group())));
    }

    /** Returns the part of a header that is compared. */
    static String normalizedHeader(String value) {
        return value.replace("; ", ";");
    }

    private static String quoted(String text) {
        return Matcher.quoteReplacement(text);
    }

    private static String decoded(String token) {
        String json = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
        // In other quotes, so that the body is still JSON.
        return json.replace("\"start\":\"/", "\"start\":\"").replace('"', '\'');
    }

    private static String sorted(String text) {
        StringBuilder sorted = new StringBuilder(text.length());
        int copied = 0;
        Matcher metadata = METADATA.matcher(text);
        while (metadata.find()) {
            SortedMembers.MemberRange found = SortedMembers.at(text, metadata.end());
            sorted.append(text, copied, metadata.end()).append(found.sorted());
            copied = found.end();
        }
        return sorted.append(text, copied, text.length()).toString();
    }

    private static String bookmark(String frame) {
        ObjectNode event = JsonTrees.parse(frame);
        JsonNode object = event.path("object");
        if (!object.path("kind").asString("").equals("Table")) {
            return JsonTrees.text(bookmark(object).put("type", "BOOKMARK"));
        }
        for (JsonNode row : object.path("rows")) {
            ((ObjectNode) row).set("object", bookmark(row.path("object")));
        }
        return JsonTrees.text(event);
    }

    private static ObjectNode bookmark(JsonNode object) {
        ObjectNode normalized = JsonTrees.object();
        for (String member : List.of("kind", "apiVersion")) {
            normalized.set(member, object.path(member));
        }
        for (String member : List.of("resourceVersion", "annotations")) {
            normalized.set(member, object.path("metadata").path(member));
        }
        return normalized;
    }
}
