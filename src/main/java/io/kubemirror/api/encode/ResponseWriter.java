package io.kubemirror.api.encode;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Indenter;
import io.kubemirror.api.http.JsonDocument;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Sends documents in the form that the client requests: indented (list-watch.md#ne-12), compressed
 * (list-watch.md#en-9), or not at all if the client already has the document.
 */
public final class ResponseWriter {

    private ResponseWriter() {}

    /**
     * Sends a document, or 304 if the client already has it.
     *
     * @param indented whether to indent the document
     * @param tag the entity tag of the document, null for none
     * @throws IOException if the client has disconnected
     */
    public static void send(
            JsonDocument document, boolean indented, @Nullable EntityTag tag, Exchange exchange)
            throws IOException {
        HttpServletResponse response = exchange.response();
        boolean compressible = takesGzip(exchange.request());
        List<String> conditions = Collections.list(exchange.request().getHeaders("If-None-Match"));
        Optional<String> known =
                Optional.ofNullable(tag).flatMap(name -> name.known(conditions, compressible));
        if (known.isPresent()) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            response.setHeader("ETag", known.get());
            return;
        }
        response.setContentType("application/json");
        new SizedBody(response, compressible, tag, exchange.memory())
                .send(indented ? out -> document.write(new Indenter(out)) : document);
    }

    /** Returns whether the client accepts gzip. Like the API server, looks for the bare word. */
    private static boolean takesGzip(HttpServletRequest request) {
        return Collections.list(request.getHeaders("Accept-Encoding")).stream()
                .flatMap(header -> Arrays.stream(header.split(",", -1)))
                .anyMatch(coding -> coding.trim().equals("gzip"));
    }
}
