package io.kubemirror.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.WaitLimit;

import okhttp3.Call;
import okhttp3.Response;

import okio.BufferedSource;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A client that keeps a copy of what it follows on a thread of its own, and continues where it
 * stopped whenever its stream ends. It fails if an event does not fit its copy.
 */
abstract class Follower implements AutoCloseable {

    private final Map<String, String> state = new TreeMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = Thread.ofVirtual().unstarted(this::run);
    private @Nullable Throwable failure;
    private @Nullable Call call;

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
        try {
            assertThat(thread.join(WaitLimit.GENEROUS)).as("%s ends", this).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
