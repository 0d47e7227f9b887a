package io.kubemirror.upstream;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** The result of forwarding a request. */
public sealed interface ForwardOutcome permits ForwardOutcome.Answered, Failure {

    /**
     * The server has responded, possibly with an error.
     *
     * @param code the HTTP status code
     * @param contentType the content type, empty if there is none
     * @param headers further headers for the client: retry advice and warnings
     * @param body the uncompressed body; the reader closes it
     */
    record Answered(int code, String contentType, Map<String, String> headers, InputStream body)
            implements ForwardOutcome, AutoCloseable {

        /** Copies the headers. */
        public Answered {
            headers = Map.copyOf(headers);
        }

        @Override
        public void close() throws IOException {
            body.close();
        }
    }
}
