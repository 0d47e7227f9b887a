package io.kubemirror.kube;

import module java.base;

import io.kubemirror.source.Result;

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
     * followed, and errors of the server are responses.
     *
     * @throws IllegalArgumentException if the target cannot be sent without changing its meaning
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
            @Nullable RequestContent body,
            @Nullable String upgrade,
            Duration silence) {

        /** Returns the same request with other headers. */
        public PassedRequest with(Map<String, List<String>> other) {
            return new PassedRequest(credentials, method, target, other, body, upgrade, silence);
        }
    }

    /** The body of a request. */
    interface RequestContent {

        /** Returns a body in memory. */
        static RequestContent of(byte[] bytes) {
            return new RequestContent() {

                @Override
                public long length() {
                    return bytes.length;
                }

                @Override
                public boolean isRepeatable() {
                    return true;
                }

                @Override
                public void writeTo(OutputStream server) throws IOException {
                    server.write(bytes);
                }
            };
        }

        /** Returns the length in bytes, -1 if it is not known. */
        long length();

        /** Whether the body can be written more than once. */
        boolean isRepeatable();

        /**
         * Writes the whole body, waiting for the client where necessary. Must not close the output.
         *
         * @throws IOException if the client or the server has disconnected
         */
        void writeTo(OutputStream server) throws IOException;
    }

    /** A response, which the caller closes. */
    interface PassedResponse extends Closeable {

        int code();

        /** Returns all headers as the server sent them, found by names in any case. */
        Map<String, List<String>> headers();

        /**
         * Returns the body, empty if there is none. Reads return what has arrived. A body that is
         * cut off ends with an exception.
         */
        InputStream body();

        /** Returns the connection after a change of the protocol (code 101), null otherwise. */
        @Nullable ByteTunnel tunnel();

        /**
         * Ends the response. If it is not complete, its connection is closed. May be called from
         * any thread, and more than once.
         */
        @Override
        void close();
    }

    /** A connection to the server that is no longer HTTP. */
    interface ByteTunnel {

        /** Returns the bytes from the server. */
        InputStream input();

        /** Returns the bytes to the server, which ends this direction when it is closed. */
        OutputStream output();

        /** Closes both directions. May be called from any thread, and more than once. */
        void cancel();
    }
}
