package io.kubemirror.testing.real;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Manifest;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.awaitility.Awaitility;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Requests to an API server and its responses, in a form that is equal for servers that behave
 * alike.
 *
 * <p>The revisions of changes are named {@code r1}, {@code r2}, ... in the order in which they are
 * seen, and are written by name; in requests {@code {r1}} stands for the number. A later revision
 * is written as {@code now}, because real servers count changes that the scenario did not make.
 */
final class Transcript {

    private static final Pattern NUMBER = Pattern.compile("\\b[0-9]{2,18}\\b");
    private static final Pattern PLACE = Pattern.compile("\\{(\\w+)}");

    private final ApiServer server;
    private final RestClient client;
    private final Map<String, Long> revisions = new LinkedHashMap<>();
    private final Map<String, String> texts = new LinkedHashMap<>();
    private final List<String> lines = new ArrayList<>();

    Transcript(ApiServer server) {
        this.server = server;
        this.client = server.client();
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    ApiServer server() {
        return server;
    }

    void note(String line) {
        lines.add(line);
    }

    void create(Manifest manifest) {
        note("create " + object(server.create(manifest)));
    }

    void label(String namespace, String name, String key, String value) {
        String patch = "{\"metadata\": {\"labels\": {\"%s\": \"%s\"}}}".formatted(key, value);
        note("label " + object(server.patch(ServedTypes.SECRETS, namespace, name, patch)));
    }

    void delete(String namespace, String name) {
        server.delete(ServedTypes.SECRETS, namespace, name);
        note("delete " + JsonTrees.key(namespace, name));
    }

    /** Sends a GET and records the response; {@code {token}} is the token of the last list. */
    ObjectNode get(String target, String... headers) {
        RestClient.RestResponse reply = client.get(filled(target), headers);
        note("GET " + target);
        note("  " + reply.code() + " " + answer(reply));
        return reply.code() == 404 && !reply.body().startsWith("{")
                ? JsonTrees.object()
                : reply.json();
    }

    /** Sends a request with a body and records the response. */
    void send(String method, String target, String body) {
        RestClient.RestResponse reply = client.send(method, filled(target), filled(body));
        note(method + " " + target);
        note("  " + reply.code() + " " + (reply.code() < 300 ? "" : answer(reply)));
    }

    private String answer(RestClient.RestResponse reply) {
        if (!reply.body().startsWith("{")) {
            return reply.header("content-type") + " " + reply.body().strip();
        }
        ObjectNode json = reply.json();
        if (json.path("kind").asString("").equals("Status")) {
            String after = reply.header("retry-after");
            return status(json) + (after.isEmpty() ? "" : " Retry-After " + after);
        }
        return json.has("items") ? list(json) : object(json);
    }

    private String list(ObjectNode list) {
        List<String> items = list.path("items").valueStream().map(this::object).toList();
        JsonNode metadata = list.path("metadata");
        String token = metadata.path("continue").asString("");
        texts.put("token", token);
        return "%s at %s %s rest %s %s"
                .formatted(
                        list.path("kind").asString(""),
                        moment(JsonTrees.revision(list)),
                        items,
                        metadata.path("remainingItemCount").asString("-"),
                        token.isEmpty() ? "-" : token(token));
    }

    private String token(String token) {
        byte[] decoded = Base64.getUrlDecoder().decode(token);
        ObjectNode json = JsonTrees.parse(new String(decoded, StandardCharsets.UTF_8));
        long revision = json.path("rv").asLong();
        String at = revision < 0 ? Long.toString(revision) : moment(revision);
        // With or without the first slash is the same (list-watch.md#co-1); lists from etcd come
        // without.
        String start = json.path("start").asString("").replaceFirst("^/", "");
        return json.path("v").asString("") + " " + at + " " + start.replace("\0", "\\0");
    }

    private String status(JsonNode status) {
        String token = status.path("metadata").path("continue").asString("");
        if (!token.isEmpty()) {
            texts.put("token", token);
        }
        return "%s %s %s %s %s"
                .formatted(
                        status.path("code").asString(""),
                        status.path("reason").asString(""),
                        moments(status.path("message").asString("")),
                        JsonTrees.text(status.path("details")),
                        token.isEmpty() ? "" : token(token));
    }

    private String object(JsonNode object) {
        JsonNode labels = object.path("metadata").path("labels");
        JsonNode annotations = object.path("metadata").path("annotations");
        return "%s %s %s@%s %s %s"
                .formatted(
                        object.path("kind").asString("-"),
                        object.path("apiVersion").asString("-"),
                        JsonTrees.key(object),
                        named(JsonTrees.revision(object)),
                        labels.isMissingNode() ? "" : JsonTrees.text(labels),
                        annotations.isMissingNode() ? "" : JsonTrees.text(annotations));
    }

    /** Opens a watch. */
    TranscriptWatch watch(String target, String... headers) {
        note("WATCH " + target);
        return new TranscriptWatch(client.watch(filled(target), headers));
    }

    /** Opens a watch from a revision that is not recorded. */
    TranscriptWatch watchFrom(String target, long revision) {
        note("WATCH " + target + " from a revision");
        return new TranscriptWatch(client.watch(target + "&resourceVersion=" + revision));
    }

    /** Waits until a request fails with 410. A scripted server is compacted for it. */
    void forget(String target) {
        if (server instanceof ScriptedApiServer scripted) {
            scripted.compact();
        }
        Awaitility.await()
                .atMost(WaitLimit.GENEROUS)
                .until(() -> client.get(filled(target)).code() == 410);
    }

    /** A watch whose frames are noted. */
    final class TranscriptWatch implements AutoCloseable {

        private final WatchReader reader;

        private TranscriptWatch(WatchReader reader) {
            this.reader = reader;
            note("  " + reader.code() + " " + reader.header("Content-Type"));
        }

        /** Records the given number of frames. */
        void expect(int frames) {
            reader.next(frames).forEach(frame -> note("  " + frame(frame)));
        }

        /** The revision of the next frame, which is not noted. */
        long nextRevision() {
            return JsonTrees.revision(reader.next().path("object"));
        }

        /** Records how the stream ends. */
        void expectEnd() {
            try {
                Optional<String> more = reader.nextLine();
                note(more.isPresent() ? "  more" : "  end");
            } catch (UncheckedIOException e) {
                note("  broken off");
            }
        }

        private String frame(ObjectNode frame) {
            JsonNode object = frame.path("object");
            String type = frame.path("type").asString("");
            return switch (type) {
                case "ERROR" -> "ERROR " + status(object);
                case "BOOKMARK" -> "BOOKMARK " + bookmark(object);
                case String _ -> type + " " + object(object);
            };
        }

        @Override
        public void close() {
            reader.close();
        }
    }

    private String bookmark(JsonNode object) {
        return "%s %s at %s %s"
                .formatted(
                        object.path("kind").asString("-"),
                        object.path("apiVersion").asString("-"),
                        moment(JsonTrees.revision(object)),
                        JsonTrees.text(object.path("metadata").path("annotations")));
    }

    /**
     * Returns the name of an object's revision, and assigns one if it is newer than all named ones.
     */
    private String named(long revision) {
        if (revision > newest()) {
            revisions.put("r" + (revisions.size() + 1), revision);
        }
        return known(revision).orElse("?");
    }

    /** Returns the name of a revision in a list or a message. */
    private String moment(long revision) {
        return revision >= newest() ? "now" : known(revision).orElse("?");
    }

    private String moments(String message) {
        Matcher numbers = NUMBER.matcher(message);
        return numbers.replaceAll(number -> moment(Long.parseLong(number.group())));
    }

    private Optional<String> known(long revision) {
        return revisions.entrySet().stream()
                .filter(entry -> entry.getValue() == revision)
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** The newest revision that is known. */
    long newest() {
        return revisions.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }

    private String filled(String target) {
        return PLACE.matcher(target).replaceAll(place -> value(place.group(1)));
    }

    private String value(String name) {
        return Optional.ofNullable(texts.get(name))
                .or(() -> Optional.ofNullable(revisions.get(name)).map(String::valueOf))
                .orElseGet(() -> String.valueOf(newest() + 1_000_000));
    }
}
