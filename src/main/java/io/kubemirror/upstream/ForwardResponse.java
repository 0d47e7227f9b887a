package io.kubemirror.upstream;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/**
 * The response of the server to a forwarded request, possibly an error.
 *
 * @param code the HTTP status code
 * @param contentType the content type, empty if there is none
 * @param headers further headers for the client: retry advice and warnings
 * @param body the uncompressed body; the reader closes it
 */
public record ForwardResponse(
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
