package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.model.Status;

import jakarta.servlet.http.HttpServletResponse;

/**
 * A response that is small enough to be built in memory: an object, a discovery document, or an
 * error.
 *
 * @param code the HTTP status code
 * @param headers additional headers
 */
public record Reply(
        int code,
        String contentType,
        Map<String, String> headers,
        @SuppressWarnings("ArrayRecordComponent") byte[] body) {

    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";

    /** The deadline of the request has passed; this Status has no kind (list-watch.md#errors). */
    public static final Reply OVERDUE =
            text(
                    504,
                    "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"Timeout: request did not"
                            + " complete within the allotted"
                            + " timeout\",\"reason\":\"Timeout\",\"details\":{},\"code\":504}\n",
                    Map.of());

    /** The path is not part of the Kubernetes API (list-watch.md#errors). */
    public static final Reply NOT_A_PAGE =
            text(404, "404 page not found\n", Map.of("X-Content-Type-Options", "nosniff"));

    /** The path is malformed (list-watch.md#pa-19c). */
    public static final Reply BAD_REQUEST =
            text(400, "400 Bad Request", Map.of("Connection", "close"));

    /** Returns a 200 response with a JSON document. */
    public static Reply json(byte[] body) {
        return new Reply(200, JSON, Map.of(), body);
    }

    /** Returns a 200 response with a JSON document of a special media type. */
    public static Reply json(String contentType, byte[] body) {
        return new Reply(200, contentType, Map.of(), body);
    }

    /** Returns an error response. */
    public static Reply of(Status status) {
        Map<String, String> headers = new TreeMap<>();
        if (status.retryAfterSeconds() > 0) {
            headers.put("Retry-After", Integer.toString(status.retryAfterSeconds()));
        }
        return new Reply(status.code(), JSON, headers, GoJson.statusLine(status));
    }

    /** Returns this response with one more header. */
    public Reply with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new Reply(code, contentType, more, body);
    }

    /** Returns this response, indented if it is JSON. */
    public Reply indented() {
        if (!contentType.startsWith(JSON)) {
            return this;
        }
        ByteArrayOutputStream document = new ByteArrayOutputStream(2 * body.length);
        try (Indenter indenter = new Indenter(document)) {
            indenter.write(body);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return new Reply(code, contentType, headers, document.toByteArray());
    }

    /**
     * Returns this response, mostly an error, in the format for the client that sent the request
     * (list-watch.md#st-2, #st-3).
     */
    public Reply toSender(ParsedRequest request) {
        return request.isErrorIndented() ? indented() : this;
    }

    /** Sends the response. */
    public void send(HttpServletResponse response) throws IOException {
        response.setStatus(code);
        response.setContentType(contentType);
        headers.forEach(response::setHeader);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    /** Returns a plain-text response. */
    public static Reply text(int code, String body, Map<String, String> headers) {
        return new Reply(code, TEXT, headers, body.getBytes(StandardCharsets.UTF_8));
    }
}
