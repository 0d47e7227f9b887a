package io.kubemirror.load;

import module java.base;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WatchReader;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Clients that write objects of their own and at once read them in one of many ways.
 *
 * <p>An object whose write failed is abandoned, because the write may still happen later. Reads
 * that are refused are repeated.
 */
final class WritePairs {

    private static final int KINDS = 5;
    private static final int WATCH = 4;
    private static final int READ_ATTEMPTS = 10_000;

    private final Supplier<RestClient> clients;
    private final String collection;
    private final boolean withStatus;
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pairs = new AtomicInteger();
    private final AtomicInteger refusedWrites = new AtomicInteger();
    private final AtomicInteger refusedReads = new AtomicInteger();
    private final AtomicInteger fromMemory = new AtomicInteger();

    /**
     * Creates clients that have not written yet.
     *
     * @param clients creates the clients
     * @param collection path of the pods or config maps of a namespace
     */
    WritePairs(Supplier<RestClient> clients, String collection) {
        this.clients = clients;
        this.collection = collection;
        withStatus = collection.endsWith("/pods");
    }

    /** What was wrong: stale reads, and writes that were rejected. */
    Queue<String> wrong() {
        return wrong;
    }

    /** Writes that succeeded and were then read. */
    int pairs() {
        return pairs.get();
    }

    /** Reads that kubemirror answered from memory. */
    int fromMemory() {
        return fromMemory.get();
    }

    /** Writes that failed because the API server was not available. */
    int refusedWrites() {
        return refusedWrites.get();
    }

    /** Reads that had to be repeated. */
    int refusedReads() {
        return refusedReads.get();
    }

    /** Runs a number of pairs, and returns when they are done. Stops after a mistake. */
    void run(int writers, int count, long seed) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < writers; i++) {
                PairWriter writer = new PairWriter(i, new Random(seed + i));
                int share = Math.ceilDiv(count, writers);
                threads.execute(() -> writer.run(share));
            }
        }
    }

    /** One client and its object. */
    private final class PairWriter {

        private final int number;
        private final Random random;
        private final RestClient client = clients.get();
        private int generation;
        private boolean exists;
        private String label = "";
        private String value = "";
        private String message = "";

        PairWriter(int number, Random random) {
            this.number = number;
            this.random = random;
        }

        void run(int count) {
            int done = 0;
            for (int i = 0; done < count && wrong.isEmpty(); i++) {
                if (write(number + "-" + i)) {
                    done++;
                    read(random.nextInt(KINDS));
                    pairs.incrementAndGet();
                } else {
                    generation++;
                    exists = false;
                }
            }
        }

        private String name() {
            return "written-" + number + "-" + generation;
        }

        /** Returns whether the write succeeded. */
        private boolean write(String next) {
            String object = collection + "/" + name();
            if (!exists) {
                return changed("POST", collection, next);
            }
            return switch (random.nextInt(withStatus ? 5 : 4)) {
                case 0 -> deleted(object);
                case 1, 2 -> changed("PATCH", object, next);
                case 3 -> changed("PUT", object, next);
                default -> statusChanged(object, next);
            };
        }

        private boolean changed(String method, String path, String next) {
            label = random.nextBoolean() ? "v" : "w";
            if (!sent(method, path, body(next, withStatus && !method.equals("PATCH")))) {
                return false;
            }
            message = exists ? message : "";
            exists = true;
            value = next;
            return true;
        }

        private boolean statusChanged(String object, String next) {
            if (!sent("PATCH", object + "/status", "{\"status\":{\"message\":\"" + next + "\"}}")) {
                return false;
            }
            message = next;
            return true;
        }

        private boolean deleted(String object) {
            exists = !sent("DELETE", object + "?gracePeriodSeconds=0", null);
            return !exists;
        }

        private String body(String next, boolean whole) {
            return """
            {"apiVersion": "v1", "kind": "%s",
             "metadata": {"name": "%s", "labels": {"app": "%s"}, "annotations": {"k": "%s"}}%s}
            """
                    .formatted(
                            withStatus ? "Pod" : "ConfigMap",
                            name(),
                            label,
                            next,
                            whole
                                    ? ", \"spec\": {\"containers\": [{\"name\": \"c\", \"image\":"
                                            + " \"i\"}]}"
                                    : "");
        }

        private boolean sent(String method, String path, @Nullable String body) {
            try {
                RestResponse response = client.send(method, path, body);
                if (response.code() < 300) {
                    return true;
                }
                if (response.code() < 500 && response.code() != 429) {
                    wrong.add(method + " " + path + ": " + response.code() + response.body());
                }
            } catch (UncheckedIOException e) {
                // The outcome is not known.
            }
            refusedWrites.incrementAndGet();
            return false;
        }

        private void read(int kind) {
            for (int attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
                try {
                    if (kind == WATCH ? watched() : answered(kind)) {
                        return;
                    }
                } catch (UncheckedIOException e) {
                    // The same read follows.
                }
                refusedReads.incrementAndGet();
            }
            wrong.add("no answer to read " + kind + " of " + name());
        }

        /** Returns whether a get or list was answered. */
        private boolean answered(int kind) {
            RestResponse response =
                    client.get(
                            switch (kind) {
                                case 0 -> collection + "/" + name();
                                case 1 -> collection + "?resourceVersion=0";
                                case 2 -> collection + "?labelSelector=app%3D" + label;
                                default -> selected();
                            });
            boolean missing = kind == 0 && response.code() == 404;
            if (response.code() != 200 && !missing) {
                return false;
            }
            count(response.header("kubemirror-state"));
            JsonNode shown = MissingNode.getInstance();
            if (kind == 0 && !missing) {
                shown = response.json();
            }
            for (JsonNode item : response.json().path("items")) {
                shown = isOwn(item) ? item : shown;
            }
            compare(shown, "read " + kind);
            return true;
        }

        private String selected() {
            return collection + "?fieldSelector=metadata.name%3D" + name();
        }

        /** Returns whether a watch sent its initial events. */
        private boolean watched() {
            String target =
                    selected()
                            + "&watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
                            + "&resourceVersionMatch=NotOlderThan&timeoutSeconds=5";
            try (WatchReader watch = client.watch(target)) {
                if (watch.code() != 200) {
                    return false;
                }
                JsonNode shown = MissingNode.getInstance();
                for (Optional<String> line = watch.nextLine();
                        line.isPresent();
                        line = watch.nextLine()) {
                    JsonNode event = JsonTrees.parse(line.get());
                    String type = event.path("type").asString();
                    if (type.equals("BOOKMARK")) {
                        count(watch.header("kubemirror-state"));
                        compare(shown, "watch");
                        return true;
                    }
                    if (type.equals("ERROR")) {
                        return false;
                    }
                    shown = event.path("object");
                }
                return false;
            }
        }

        private void count(String state) {
            if (!state.equals("proxied") && !state.equals("passed")) {
                fromMemory.incrementAndGet();
            }
        }

        private boolean isOwn(JsonNode item) {
            return item.path("metadata").path("name").asString().equals(name());
        }

        private void compare(JsonNode shown, String how) {
            String found =
                    shown.path("metadata").path("annotations").path("k").asString("")
                            + "/"
                            + shown.path("status").path("message").asString("");
            String expected = exists ? value + "/" + message : "/";
            if (!found.equals(expected)) {
                wrong.add(how + " of " + name() + ": " + found + " in place of " + expected);
            }
        }
    }
}
