package io.kubemirror.kube;

import module java.base;

import io.kubemirror.source.Result;

import okhttp3.RequestBody;

import org.jspecify.annotations.Nullable;

/**
 * Passes requests of clients on to the API server.
 *
 * <p>Calls block the calling thread, which should be a virtual thread, and end early when it is
 * interrupted. No more than a few buffers of a body are in memory at a time. All methods may be
 * called from any number of threads.
 */
public interface PassThroughApi {

    /**
     * Sends a request, and returns when the head of the response has arrived. Redirects are not
     * followed, and errors of the server are responses. A read whose connection breaks is repeated,
     * and nothing else.
     *
     * @throws IllegalArgumentException if the request cannot be sent without changing its meaning
     */
    Result<PassedResponse> pass(PassedRequest request);

    /** Whose credentials the API server gets. */
    enum CredentialOwner {
        /** This process. The implementation replaces those among the headers. */
        KUBEMIRROR,
        /** The client, which has them among its headers. */
        CLIENT
    }

    /**
     * A request of a client. Host, framing, and credentials of this process are added by the
     * implementation.
     *
     * @param target path and query, escaped as the client sent them
     * @param headers the end-to-end headers, names in any case
     * @param body the body, null for none
     * @param upgrade the protocol to change to, such as {@code websocket}, null for none
     * @param silence how long the server may be silent, and may read nothing
     */
    record PassedRequest(
            CredentialOwner credentials,
            String method,
            String target,
            Map<String, List<String>> headers,
            @Nullable RequestBody body,
            @Nullable String upgrade,
            Duration silence) {

        /** Returns the same request with other headers. */
        public PassedRequest with(Map<String, List<String>> other) {
            return new PassedRequest(credentials, method, target, other, body, upgrade, silence);
        }
    }

    /**
     * A response, which the caller closes.
     *
     * @param headers all headers as the server sent them, found by names in any case
     * @param body the bytes from the server. Reads return what has arrived; a body that is cut off
     *     ends with an exception
     * @param upload the bytes to the server after a change of the protocol (code 101), null
     *     otherwise. Closing it ends this direction
     * @param end closes the connection, unless the response is complete
     */
    record PassedResponse(
            int code,
            Map<String, List<String>> headers,
            InputStream body,
            @Nullable OutputStream upload,
            Runnable end)
            implements Closeable {

        /** Ends the response. After a change of the protocol, any thread may do so. */
        @Override
        public void close() {
            end.run();
        }
    }
}
