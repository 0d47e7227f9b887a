package io.kubemirror.upstream;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** What came of a request that was handed on. */
public sealed interface ForwardOutcome permits ForwardOutcome.Answered, Failure {

    /**
     * The server has answered, be it with an error.
     *
     * @param code the HTTP status code
     * @param contentType the content type, empty if there is none
     * @param headers what else of the header a client needs to know: advice and warnings
     * @param body the body in plain bytes, to be closed by whoever reads it
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
