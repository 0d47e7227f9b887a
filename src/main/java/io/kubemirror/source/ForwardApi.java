package io.kubemirror.source;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** Forwards reads of clients to an API server. */
public interface ForwardApi {

    /**
     * Forwards a get or a list, with the credentials of this process. The response is passed on as
     * it arrives, errors included, except for redirects and rejected credentials.
     */
    Result<ForwardResponse> forward(ForwardRequest request);

    /**
     * The response of the server to a forwarded request, possibly an error.
     *
     * @param code the HTTP status code
     * @param contentType the content type, empty if there is none
     * @param headers further headers for the client: retry advice, warnings, and the encoding of
     *     the body
     * @param body the body, encoded as the server has sent it; the reader closes it
     */
    record ForwardResponse(
            int code, String contentType, Map<String, String> headers, InputStream body)
            implements AutoCloseable {

        /** Copies the headers. */
        public ForwardResponse {
            headers = Map.copyOf(headers);
        }

        @Override
        public void close() throws IOException {
            body.close();
        }
    }
}
