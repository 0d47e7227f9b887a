package io.kubemirror.api.read;

import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;

import org.jspecify.annotations.Nullable;

import java.io.InputStream;
import java.util.Map;

/**
 * Tracks the writes that the API server has answered through this process, until the mirrors show
 * them (list-watch.md#ry-1).
 *
 * <p>May be used from any thread.
 */
public final class AnsweredWrites {

    /** The revision that a later read must not be before, on writes and reads. */
    public static final String MIN_REVISION = "Kubemirror-Min-Revision";

    /**
     * A request that may change objects, as the client sent it.
     *
     * @param method the method, such as {@code PATCH}
     * @param asksForRevision whether the client sent {@link #MIN_REVISION}
     * @param began the number of writes that had been answered when this one began
     */
    public record WriteRequest(
            String method, RequestPath path, Query query, boolean asksForRevision, long began) {}

    /**
     * What is sent to the client in the place of the body that was given.
     *
     * @param headers headers to add to the response
     * @param body the body, from its first byte; closing it closes the body that was given
     */
    public record TrackedResponse(Map<String, String> headers, InputStream body) {}

    /**
     * Describes a write. Call it before the write is sent to the API server.
     *
     * @param minRevision the header {@link #MIN_REVISION}, null if the client sent none
     * @throws Rejection if the header is not a revision
     */
    public WriteRequest begin(
            String method, RequestPath path, Query query, @Nullable String minRevision)
            throws Rejection {
        return new WriteRequest(method, path, query, minRevision != null, 0);
    }

    /**
     * Records the answer to a write. Call it after the head of the answer has arrived and before
     * the client gets anything of it. Blocks until as much of the body has arrived as names the
     * object and its revision. Requests that change nothing are ignored.
     *
     * @param code the status code of the answer
     * @param contentType the content type of the answer, empty if there is none
     * @param body the body, not compressed
     */
    public TrackedResponse answered(
            WriteRequest write, int code, String contentType, InputStream body) {
        return new TrackedResponse(Map.of(), body);
    }

    /**
     * Records that a write may have been done although the API server has not answered it, for
     * example because the connection was cut.
     */
    public void unanswered(WriteRequest write) {}
}
