package io.kubemirror.ops;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.HttpRequestHandler;

import java.io.IOException;
import java.util.Map;

/**
 * A part of the page. Browsers are told to take nothing from elsewhere, to let nobody frame it or
 * read it from another origin, and to keep nothing of it.
 *
 * @param answer gives the answer
 */
record PageHandler(HttpRequestHandler answer) implements HttpRequestHandler {

    private static final Map<String, String> HEADERS =
            Map.of(
                    "Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                            + " connect-src 'self'; base-uri 'none'; form-action 'none';"
                            + " frame-ancestors 'none'",
                    "X-Content-Type-Options",
                    "nosniff",
                    "X-Frame-Options",
                    "DENY",
                    "Referrer-Policy",
                    "no-referrer",
                    "Cross-Origin-Opener-Policy",
                    "same-origin",
                    "Cross-Origin-Resource-Policy",
                    "same-origin",
                    "Cache-Control",
                    "no-store");

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        HEADERS.forEach(response::setHeader);
        if (request.getMethod().equals("GET")) {
            answer.handleRequest(request, response);
        } else {
            response.setHeader("Allow", "GET");
            response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
        }
    }
}
