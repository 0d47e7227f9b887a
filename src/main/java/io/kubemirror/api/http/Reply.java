package io.kubemirror.api.http;

import io.kubemirror.model.Status;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * An answer that is small enough to be made as a whole: an object, a discovery document, an error.
 *
 * @param code the HTTP status code
 * @param contentType the content type
 * @param headers further headers
 * @param body the body
 */
public record Reply(
        int code,
        String contentType,
        Map<String, String> headers,
        @SuppressWarnings("ArrayRecordComponent") byte[] body) {

    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";

    /** The deadline of the request is over; this Status lacks its kind (list-watch.md#errors). */
    public static final Reply OVERDUE =
            text(
                    504,
                    "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"Timeout: request did not"
                            + " complete within the allotted"
                            + " timeout\",\"reason\":\"Timeout\",\"details\":{},\"code\":504}\n",
                    Map.of());

    /** Nothing of the Kubernetes API (list-watch.md#errors). */
    public static final Reply NOT_A_PAGE =
            text(404, "404 page not found\n", Map.of("X-Content-Type-Options", "nosniff"));

    /** A path that cannot be read (list-watch.md#pa-19c). */
    public static final Reply BAD_REQUEST =
            text(400, "400 Bad Request", Map.of("Connection", "close"));

    /** A watch that is to be asked for again, without WebSocket (list-watch.md#ws-1). */
    public static final Reply NO_WEB_SOCKET = json(new byte[0]);

    /** A JSON document that was found. */
    public static Reply json(byte[] body) {
        return new Reply(200, JSON, Map.of(), body);
    }

    /** A JSON document of a special media type. */
    public static Reply json(String contentType, byte[] body) {
        return new Reply(200, contentType, Map.of(), body);
    }

    /** An error. */
    public static Reply of(Status status) {
        Map<String, String> headers = new TreeMap<>();
        if (status.retryAfterSeconds() > 0) {
            headers.put("Retry-After", Integer.toString(status.retryAfterSeconds()));
        }
        return new Reply(status.code(), JSON, headers, StatusJson.line(status));
    }

    /** The same with one more header. */
    public Reply with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new Reply(code, contentType, more, body);
    }

    /** The same, indented if it is JSON. */
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

    /** An error as the client that sent the request gets it (list-watch.md#st-2, #st-3). */
    public Reply toSender(HttpServletRequest request) {
        return Indentation.ofError(request) ? indented() : this;
    }

    /** Sends the answer. */
    public void send(HttpServletResponse response) throws IOException {
        response.setStatus(code);
        response.setContentType(contentType);
        headers.forEach(response::setHeader);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    /** A text. */
    public static Reply text(int code, String body, Map<String, String> headers) {
        return new Reply(code, TEXT, headers, body.getBytes(StandardCharsets.UTF_8));
    }
}
