package io.kubemirror.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.ResourceType;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An HTTP client that lists only once. It applies every change to that list, resumes where it
 * stopped when its stream ends, and fails on anything that requires another list.
 */
public final class RemoteFoldingWatcher implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final ResourceType type;
    private final Map<String, String> state = new TreeMap<>();
    private final RestClient server;
    private long revision;
    private @Nullable WatchReader watch;

    /** Begins with a list. */
    public RemoteFoldingWatcher(RestClient server, ResourceType type) {
        this.server = server;
        this.type = type;
        ObjectNode list = server.get(type.collectionPath()).json();
        list.path("items").forEach(item -> state.put(JsonTrees.key(item), revisionOf(item)));
        revision = JsonTrees.revision(list);
    }

    private static String revisionOf(JsonNode object) {
        return Long.toString(JsonTrees.revision(object));
    }

    /**
     * Reads until the state is the given one.
     *
     * @param truth the revisions of all objects by path
     */
    public void readUntil(Map<String, String> truth) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!state.equals(truth)) {
            assertThat(System.nanoTime())
                    .as("it becomes %s in time; so far %s", truth, state)
                    .isLessThan(deadline);
            read();
        }
    }

    private void read() {
        try {
            if (watch == null) {
                watch =
                        server.watch(
                                type.collectionPath() + "?watch=1&resourceVersion=" + revision);
            }
            Optional<String> line = watch.code() == 200 ? watch.nextLine() : Optional.empty();
            if (watch.code() == 200 && line.isPresent()) {
                apply(JsonTrees.parse(line.get()));
            } else {
                comeAgain();
            }
        } catch (UncheckedIOException broken) {
            comeAgain();
        }
    }

    /** Retries after any failure. A 410 would come as an event. */
    private void comeAgain() {
        if (watch != null) {
            assertThat(watch.code()).as("never told to list").isNotEqualTo(410);
        }
        close();
    }

    private void apply(ObjectNode event) {
        JsonNode object = event.path("object");
        String kind = event.path("type").asString();
        assertThat(kind).as("never told to list: %s", event).isNotEqualTo("ERROR");
        assertThat(JsonTrees.revision(object)).as("Ordered, Unique").isGreaterThan(revision);
        revision = JsonTrees.revision(object);
        String key = JsonTrees.key(object);
        switch (kind) {
            case "ADDED" ->
                    assertThat(state.put(key, revisionOf(object))).as("new here: " + key).isNull();
            case "MODIFIED" ->
                    assertThat(state.put(key, revisionOf(object))).as("known: " + key).isNotNull();
            case "DELETED" -> assertThat(state.remove(key)).as("known: " + key).isNotNull();
            default -> throw new AssertionError(event);
        }
    }

    /** Ends the stream; the watcher can open another one. */
    @Override
    public void close() {
        if (watch != null) {
            watch.close();
            watch = null;
        }
    }
}
