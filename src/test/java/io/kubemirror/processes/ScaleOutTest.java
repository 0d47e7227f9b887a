package io.kubemirror.processes;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Tests a chain of processes of kubemirror; HistoryTest has several beside each other. */
@Timeout(1_200)
class ScaleOutTest extends ProcessHarness {

    @Test
    void cascade_stays_consistent_when_its_middle_dies_or_upstream_compacts() {
        createObjects();
        KubemirrorProcess cluster = start(server);
        KubemirrorProcess node = start(cluster);
        KubemirrorProcess sidecar = start(node).awaitReady();
        RemoteFoldingWatcher client = new RemoteFoldingWatcher(sidecar.client(), PODS);
        change("quiet");
        client.readUntil(truth());

        node.kill();
        change("middle-dead");
        node.startAgain();
        client.readUntil(truth());

        server.stop();
        server.start();
        change("server-back");
        server.restart();
        client.readUntil(truth());

        server.compact();
        node.kill();
        server.restart();
        change("all-at-once");
        node.startAgain();
        client.readUntil(truth());

        assertThat(sidecar.client().get(PODS.collectionPath()).json().path("items"))
                .isEqualTo(server.list(PODS).path("items"));
        assertThat(sidecar.management().get("/actuator/prometheus").body())
                .containsPattern("kubemirror_resyncs_total\\{.*outcome=\"broken\".*} 0\\.0");
        assertThat(server.watches(PODS)).as("watches of the API server").hasSize(1);
        client.close();
    }

    private KubemirrorProcess start(ScriptedApiServer upstream) {
        return started(KubemirrorProcess.ofPods(upstream.url()));
    }

    private KubemirrorProcess start(KubemirrorProcess upstream) {
        return started(KubemirrorProcess.ofPods(upstream.url()));
    }

    private void createObjects() {
        for (String name : List.of("deleted", "changed", "kept")) {
            server.create(pod("a", name));
        }
    }

    /** One of each kind of change. */
    private void change(String name) {
        server.create(pod("a", name));
        server.label(PODS, "a", "changed", "at", name);
        server.delete(PODS, "a", "deleted");
        server.create(pod("a", "deleted").label("since", name));
    }

    private Map<String, String> truth() {
        Map<String, String> truth = new TreeMap<>();
        server.list(PODS)
                .path("items")
                .forEach(
                        item ->
                                truth.put(
                                        JsonTrees.key(item),
                                        Long.toString(JsonTrees.revision(item))));
        return truth;
    }

    /**
     * An HTTP client that lists only once. It applies every change to that list, resumes where it
     * stopped when its stream ends, and fails on anything that requires another list.
     */
    private static final class RemoteFoldingWatcher implements AutoCloseable {

        private static final Duration LIMIT = Duration.ofSeconds(90);

        private final ResourceType type;
        private final Map<String, String> state = new TreeMap<>();
        private final RestClient server;
        private long revision;
        private @Nullable WatchReader watch;

        /** Begins with a list. */
        RemoteFoldingWatcher(RestClient server, ResourceType type) {
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
        void readUntil(Map<String, String> truth) {
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
                        assertThat(state.put(key, revisionOf(object)))
                                .as("new here: " + key)
                                .isNull();
                case "MODIFIED" ->
                        assertThat(state.put(key, revisionOf(object)))
                                .as("known: " + key)
                                .isNotNull();
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
}
