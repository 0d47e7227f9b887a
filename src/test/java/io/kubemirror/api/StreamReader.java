package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A client of a stream of several resources that keeps their objects, checks each event against
 * what it knows, and continues with the last cursor.
 */
public final class StreamReader implements AutoCloseable {

    private final int port;
    private final String path;
    private final Map<String, Map<String, String>> held = new HashMap<>();

    /** The states that are being received. */
    private final Map<String, Map<String, String>> initial = new HashMap<>();

    private final Map<String, Revision> reached = new HashMap<>();
    private @Nullable WatchClient watch;
    private String cursor = "";
    private int restarts;

    public StreamReader(int port, String path) {
        this.port = port;
        this.path = path;
    }

    /** Connects again where it was. */
    public WatchClient connect() {
        close();
        initial.clear();
        WatchClient opened =
                WatchClient.open(port, path + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
        watch = opened;
        assertThat(opened.code()).isEqualTo(200);
        return opened;
    }

    /** What is known of a resource: the revision of each object. */
    public Map<String, String> held(String resource) {
        return held.getOrDefault(resource, Map.of());
    }

    public String cursor() {
        return cursor;
    }

    /** How often the state of a resource began again because its history was gone. */
    public int restarts() {
        return restarts;
    }

    /** Reads an event; connects if the stream has ended. */
    public void read() {
        WatchClient open = watch == null ? connect() : watch;
        String line = open.next();
        if (line.equals(WatchClient.CLEAN_END)) {
            connect();
        } else {
            apply(ApiClient.tree(line));
        }
    }

    /** Reads until the client knows a resource at a revision. */
    public void readUpTo(String resource, long revision) {
        Revision wanted = ApiSamples.revision(revision);
        while (initial.containsKey(resource)
                || !held.containsKey(resource)
                || reached.getOrDefault(resource, Revision.ZERO).isBefore(wanted)) {
            read();
        }
    }

    private void apply(JsonNode event) {
        String resource = event.path("resource").asString();
        JsonNode metadata = event.path("object").path("metadata");
        String revision = metadata.path("resourceVersion").asString("");
        String name =
                metadata.path("namespace").asString("") + "/" + metadata.path("name").asString("");
        boolean state = event.path("initial").asBoolean(false);
        assertThat(event.has("cursor")).isEqualTo(!state);
        switch (event.path("type").asString()) {
            case "ADDED" -> {
                if (state) {
                    assertThat(
                                    initial.computeIfAbsent(resource, _ -> new TreeMap<>())
                                            .put(name, revision))
                            .as("an object is once in a state")
                            .isNull();
                } else {
                    assertThat(live(resource, revision).put(name, revision))
                            .as("nothing is added twice")
                            .isNull();
                }
            }
            case "MODIFIED" ->
                    assertThat(live(resource, revision).put(name, revision))
                            .as("what changes is known")
                            .isNotNull();
            case "DELETED" ->
                    assertThat(live(resource, revision).remove(name))
                            .as("what goes is known")
                            .isNotNull();
            case "BOOKMARK" -> bookmark(resource, metadata, new Revision(revision));
            case "ERROR" -> {
                assertThat(event.path("object").path("code").asInt()).isEqualTo(410);
                restarts++;
                initial.put(resource, new TreeMap<>());
                held.remove(resource);
                reached.remove(resource);
            }
            default -> throw new AssertionError(event.toString());
        }
        cursor = event.path("cursor").asString(cursor);
    }

    private Map<String, String> live(String resource, String text) {
        Revision revision = new Revision(text);
        assertThat(initial).as("no change before the end of the state").doesNotContainKey(resource);
        assertThat(revision).as("Ordered, Unique").isGreaterThan(position(resource));
        reached.put(resource, revision);
        return Objects.requireNonNull(held.get(resource), resource);
    }

    private Revision position(String resource) {
        return Objects.requireNonNull(reached.get(resource), resource);
    }

    private void bookmark(String resource, JsonNode metadata, Revision revision) {
        boolean end = metadata.path("annotations").has("k8s.io/initial-events-end");
        if (end) {
            Map<String, String> objects = initial.remove(resource);
            held.put(resource, objects == null ? new TreeMap<>() : objects);
        } else {
            assertThat(revision).as("Bookmarkable").isGreaterThanOrEqualTo(position(resource));
        }
        reached.put(resource, revision);
    }

    @Override
    public void close() {
        disconnect();
    }

    /** Ends the connection; the client can connect again. */
    public void disconnect() {
        if (watch != null) {
            watch.close();
            watch = null;
        }
    }
}
