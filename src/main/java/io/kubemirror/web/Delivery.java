package io.kubemirror.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;

/** Sends documents the way each client wants them: indented (NE-12), compressed (EN-9). */
final class Delivery {

    private Delivery() {}

    /**
     * Sends a document.
     *
     * @param form the form that was chosen for it
     * @throws IOException if the client is gone
     */
    static void send(Body document, Representation form, Exchange exchange) throws IOException {
        HttpServletResponse response = exchange.response();
        response.setContentType("application/json");
        SizedBody body = new SizedBody(response, takesGzip(exchange.request()));
        BufferedOutputStream buffer = new BufferedOutputStream(body);
        document.write(exchange.isIndented(form.clause()) ? new Indenter(buffer) : buffer);
        buffer.flush();
        body.finish();
    }

    /** The API server looks for the bare word. */
    private static boolean takesGzip(HttpServletRequest request) {
        return Collections.list(request.getHeaders("Accept-Encoding")).stream()
                .flatMap(header -> Arrays.stream(header.split(",", -1)))
                .anyMatch(coding -> coding.trim().equals("gzip"));
    }
}
