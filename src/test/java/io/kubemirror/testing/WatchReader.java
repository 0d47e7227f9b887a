package io.kubemirror.testing;

import module java.base;

import okhttp3.Call;
import okhttp3.Response;

import tools.jackson.databind.node.ObjectNode;

/** Reads an open watch frame by frame. For use by one thread. */
public final class WatchReader implements AutoCloseable {

    private final Call call;
    private final Response response;

    WatchReader(Call call, Response response) {
        this.call = call;
        this.response = response;
    }

    /** The HTTP status code. */
    public int code() {
        return response.code();
    }

    /** A header field, empty if it is absent. */
    public String header(String name) {
        return Optional.ofNullable(response.header(name)).orElse("");
    }

    /**
     * Returns the next line, or empty at the clean end of the stream.
     *
     * @throws UncheckedIOException if the stream breaks off, or nothing comes for long
     */
    public Optional<String> nextLine() {
        return Unchecked.call(() -> Optional.ofNullable(response.body().source().readUtf8Line()));
    }

    /**
     * The next frame.
     *
     * @throws AssertionError if the stream has ended
     */
    public ObjectNode next() {
        return JsonTrees.parse(
                nextLine().orElseThrow(() -> new AssertionError("the stream has ended")));
    }

    /** Returns the given number of next frames. */
    public List<ObjectNode> next(int count) {
        List<ObjectNode> frames = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            frames.add(next());
        }
        return frames;
    }

    /** Breaks the watch off, from any thread. */
    public void cancel() {
        call.cancel();
    }

    @Override
    public void close() {
        // Otherwise OkHttp would wait for the end of the stream, to use the connection again.
        call.cancel();
        response.close();
    }
}
