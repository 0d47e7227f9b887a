package io.kubemirror.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.pairs.Door.Answer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.WaitLimit;

import okhttp3.Call;
import okhttp3.Response;

import okio.BufferedSource;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

/**
 * A client that keeps a copy of what it follows on a thread of its own, and continues where it
 * stopped whenever its stream ends. It fails if an event does not fit its copy.
 */
abstract class Follower implements AutoCloseable {

    final Door door;
    final String token;
    final String target;

    private final Map<String, String> state = new TreeMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = Thread.ofVirtual().unstarted(this::run);
    private @Nullable Throwable failure;
    private @Nullable Call call;

    private Follower(Door door, String token, String target) {
        this.door = door;
        this.token = token;
        this.target = target;
    }

    void start() {
        thread.start();
    }

    /**
     * Connects. The body of an answer 200 is read line by line.
     *
     * @return what to read; null to try again later
     */
    abstract @Nullable Call connect() throws IOException;

    /** Handles an answer without events. */
    abstract void refused(int code);

    /** Handles a line. */
    abstract void read(Response response, String line);

    private void run() {
        try {
            while (closed.getCount() > 0) {
                try {
                    follow();
                } catch (IOException broken) {
                    // The next connection continues.
                }
                closed.await(20, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError bug) {
            fail(bug);
        }
    }

    private void follow() throws IOException {
        Call next = connect();
        synchronized (this) {
            if (next == null || closed.getCount() == 0) {
                return;
            }
            call = next;
        }
        try (Response response = next.execute()) {
            if (response.code() != 200) {
                refused(response.code());
                return;
            }
            BufferedSource lines = response.body().source();
            for (String line = lines.readUtf8Line(); line != null; line = lines.readUtf8Line()) {
                read(response, line);
            }
        }
    }

    private synchronized void fail(Throwable bug) {
        failure = bug;
    }

    /** Forgets the objects whose keys begin with a text. */
    final synchronized void forget(String prefix) {
        state.keySet().removeIf(key -> key.startsWith(prefix));
    }

    /**
     * Applies an event.
     *
     * @param prefix of the key of the object
     * @param certain whether the event has to fit the copy
     */
    final synchronized void apply(String prefix, String type, JsonNode object, boolean certain) {
        String key = prefix + JsonTrees.key(object);
        String revision = object.path("metadata").path("resourceVersion").asString("");
        String before = type.equals("DELETED") ? state.remove(key) : state.put(key, revision);
        if (certain) {
            assertThat(before != null)
                    .as("%s of %s at %s, in the copy at %s", type, key, revision, before)
                    .isEqualTo(!type.equals("ADDED"));
        }
    }

    /** Whether the copy is this one. */
    final synchronized boolean equalsTo(Map<String, String> truth) {
        if (failure != null) {
            throw new AssertionError(this + " has failed", failure);
        }
        return state.equals(truth);
    }

    @Override
    public abstract String toString();

    /** The copy, for messages. */
    final synchronized String copy() {
        return this + " has " + state;
    }

    @Override
    public final void close() {
        synchronized (this) {
            closed.countDown();
            if (call != null) {
                call.cancel();
            }
        }
        boolean ended = Unchecked.call(() -> thread.join(WaitLimit.GENEROUS));
        assertThat(ended).as("%s ends", this).isTrue();
    }

    /** Follows one collection by a list and watches, as informers do. */
    static final class WatchFollower extends Follower {

        final String prefix;
        private final boolean mayExpire;

        /** Where the next watch begins; negative if a list comes first. */
        private long revision = -1;

        /**
         * Creates it.
         *
         * @param token who the client is
         * @param target the path of the collection
         * @param prefix of the keys of its objects
         * @param mayExpire whether the row explains that the history of a mirror is gone
         */
        WatchFollower(Door door, String token, String target, String prefix, boolean mayExpire) {
            super(door, token, target);
            this.prefix = prefix;
            this.mayExpire = mayExpire;
        }

        @Override
        @Nullable Call connect() throws IOException {
            if (revision < 0) {
                Answer list = door.as(token, target);
                if (list.code() != 200) {
                    return null;
                }
                JsonNode json = list.json();
                forget("");
                json.path("items").forEach(item -> apply(prefix, "ADDED", item, true));
                revision = JsonTrees.revision(json);
            }
            String watch =
                    target + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + revision;
            return door.open(token, watch);
        }

        @Override
        void refused(int code) {
            assertThat(code).as(toString()).isIn(429, 410, 404, 500, 502, 503, 504);
            if (code == 410) {
                expire(Integer.toString(code));
            }
        }

        private void expire(String why) {
            assertThat(mayExpire).as("%s may be told to list: %s", this, why).isTrue();
            revision = -1;
        }

        @Override
        void read(Response response, String line) {
            door.check(target + "?watch", response, line);
            JsonNode event = JsonTrees.parse(line);
            JsonNode object = event.path("object");
            String type = event.path("type").asString();
            switch (type) {
                case "ERROR" -> expire(line);
                case "BOOKMARK" -> revision = JsonTrees.revision(object);
                default -> {
                    assertThat(JsonTrees.revision(object)).as(line).isGreaterThan(revision);
                    revision = JsonTrees.revision(object);
                    apply(prefix, type, object, true);
                }
            }
        }

        @Override
        public String toString() {
            return "the watch of " + target + " as " + token;
        }
    }

    /** Follows all collections of a namespace, or of all of them, by one stream. */
    static final class StreamFollower extends Follower {

        /** The id of the last event that had one. */
        private String id = "";

        /** The id of the event that is being read, null for none. */
        private @Nullable String next;

        /** The resources whose state is complete. */
        private final Set<String> complete = new HashSet<>();

        /** The resources whose state has begun and not ended. */
        private final Set<String> incomplete = new HashSet<>();

        StreamFollower(Door door, String token, String target) {
            super(door, token, target);
        }

        @Override
        @Nullable Call connect() {
            incomplete.forEach(this::forget);
            incomplete.clear();
            next = null;
            return id.isEmpty()
                    ? door.open(token, target)
                    : door.open(token, target, "Last-Event-ID", id);
        }

        @Override
        void refused(int code) {
            assertThat(code).as(toString()).isIn(429, 404, 500, 502, 503, 504);
        }

        @Override
        void read(Response response, String line) {
            if (line.startsWith("id: ")) {
                next = line.substring(4);
            }
            if (line.startsWith("data: ")) {
                String data = line.substring(6);
                door.check(target, response, data);
                read(JsonTrees.parse(data));
                id = next == null ? id : next;
                next = null;
            }
        }

        private void read(JsonNode event) {
            String resource = event.path("resource").asString() + " ";
            String type = event.path("type").asString();
            switch (type) {
                case "STATE" -> {}
                case "ERROR" -> {
                    assertThat(next).as(event.toString()).isNotNull();
                    complete.remove(resource);
                    forget(resource);
                }
                case "BOOKMARK" -> {
                    incomplete.remove(resource);
                    complete.add(resource);
                }
                default -> {
                    boolean initial = !complete.contains(resource);
                    if (initial && incomplete.add(resource)) {
                        forget(resource);
                    }
                    apply(resource, type, event.path("object"), !initial);
                }
            }
        }

        @Override
        public String toString() {
            return "the stream " + target + " as " + token;
        }
    }
}
