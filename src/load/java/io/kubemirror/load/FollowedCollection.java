package io.kubemirror.load;

import module java.base;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WatchReader;

import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

/**
 * A client that lists a collection once and then follows its changes, as an informer does, and
 * checks each of them: a revision that is not newer than the one before, an object that is added
 * twice or changed without being there, and a change with a lower number are wrong.
 */
final class FollowedCollection implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final int GONE = 410;

    private final RestClient client;
    private final String path;
    private final Recorder lags;
    private final Map<String, String> revisions = new ConcurrentHashMap<>();
    private final Map<String, Long> numbers = new HashMap<>();
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicLong missed = new AtomicLong();
    private final AtomicLong lists = new AtomicLong();
    private final Thread thread;
    private long revision;
    private @Nullable volatile WatchReader watch;
    private volatile boolean closing;

    /**
     * Begins to follow.
     *
     * @param client of kubemirror
     * @param path of the collection
     * @param lags receives the nanoseconds from when a change was sent until it is here
     */
    FollowedCollection(RestClient client, String path, Recorder lags) {
        this.client = client.patient();
        this.path = path;
        this.lags = lags;
        thread = Thread.ofPlatform().daemon().name("follow " + path).start(this::run);
    }

    String path() {
        return path;
    }

    /** Changes that were wrong, and those of which {@link #differences} found the result absent. */
    long wrong() {
        return wrong.get();
    }

    /** Changes that never arrived, by the numbers of those that did; a bridge leaves some out. */
    long missed() {
        return missed.get();
    }

    /** How often it has listed: once, and again after each watch that ended with 410. */
    long lists() {
        return lists.get();
    }

    /** How many objects differ from those of the API server, by their revisions. */
    long differences(RestClient api) {
        Map<String, String> truth = new HashMap<>();
        for (JsonNode item : api.read(path).at("/items")) {
            truth.put(name(item), item.at("/metadata/resourceVersion").asString());
        }
        Set<String> all = new HashSet<>(truth.keySet());
        all.addAll(revisions.keySet());
        return all.stream()
                .filter(name -> !Objects.equals(truth.get(name), revisions.get(name)))
                .count();
    }

    /** Counts differences that have stayed. */
    void count(long differences) {
        wrong.addAndGet(differences);
    }

    private void run() {
        while (!closing) {
            try {
                if (revision == 0) {
                    list();
                }
                follow();
            } catch (RuntimeException away) {
                if (!closing) {
                    System.err.println(path + ": " + away);
                    Pacer.of(PAUSE);
                }
            }
        }
    }

    private void list() {
        RestResponse response = client.get(path + "?resourceVersion=0");
        if (response.code() != 200) {
            throw new IllegalStateException("the list is answered with " + response.code());
        }
        lists.incrementAndGet();
        JsonNode list = response.json();
        Map<String, String> present = new HashMap<>();
        for (JsonNode item : list.at("/items")) {
            present.put(name(item), item.at("/metadata/resourceVersion").asString());
            numbers.put(name(item), number(item));
        }
        revisions.keySet().retainAll(present.keySet());
        revisions.putAll(present);
        revision = list.at("/metadata/resourceVersion").asLong();
    }

    private void follow() {
        try (WatchReader reader =
                client.watch(
                        path
                                + "?watch=1&allowWatchBookmarks=true&timeoutSeconds=1800"
                                + "&resourceVersion="
                                + revision)) {
            watch = reader;
            if (reader.code() == GONE) {
                revision = 0;
            }
            boolean on = !closing && reader.code() == 200;
            while (on) {
                Optional<String> line = reader.nextLine();
                on = line.isPresent() && taken(JsonTrees.parse(line.get()));
            }
        }
    }

    /** Takes a frame, and returns whether the watch goes on. */
    private boolean taken(JsonNode frame) {
        String type = frame.at("/type").asString();
        JsonNode object = frame.at("/object");
        if (type.equals("ERROR")) {
            revision = 0;
            return false;
        }
        long its = object.at("/metadata/resourceVersion").asLong();
        if (type.equals("BOOKMARK")) {
            check(its >= revision, type, object);
        } else {
            check(its > revision, type, object);
            change(type, object);
        }
        revision = its;
        return true;
    }

    private void change(String type, JsonNode object) {
        String name = name(object);
        check(revisions.containsKey(name) != type.equals("ADDED"), type, object);
        long number = number(object);
        long before = Objects.requireNonNullElse(numbers.put(name, number), 0L);
        check(number >= before, type, object);
        missed.addAndGet(Math.max(0, number - before - 1));
        if (type.equals("DELETED")) {
            revisions.remove(name);
        } else {
            revisions.put(name, object.at("/metadata/resourceVersion").asString());
            long sent = object.at("/metadata/annotations/" + ObjectChurn.AT).asLong(0);
            // The API server changes a pod once more before it deletes it.
            if (number > before) {
                lags.recordValue(Math.max(0, System.nanoTime() - sent));
            }
        }
    }

    private void check(boolean right, String type, JsonNode object) {
        if (!right) {
            wrong.incrementAndGet();
            System.err.printf(
                    "wrong: %s of %s at %s after %d%n",
                    type, name(object), object.at("/metadata/resourceVersion"), revision);
        }
    }

    private static String name(JsonNode object) {
        return object.at("/metadata/namespace").asString("")
                + "/"
                + object.at("/metadata/name").asString("");
    }

    private static long number(JsonNode object) {
        return object.at("/metadata/annotations/" + ObjectChurn.NUMBER).asLong(0);
    }

    @Override
    public void close() {
        closing = true;
        WatchReader open = watch;
        if (open != null) {
            open.cancel();
        }
        thread.interrupt();
    }
}
