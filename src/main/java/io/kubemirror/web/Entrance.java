package io.kubemirror.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;

/**
 * Goes before everything else: no answer may be stored (EN-11), and methods that the framework
 * would answer itself are refused as all others are (PA-14): {@code TRACE} with the request's
 * headers, and {@code OPTIONS}, as a preflight of a web page, with a list of methods that are not
 * served. When the process is about to end, only health is still told (IN-6).
 */
final class Entrance implements Filter {

    private final OpenRequests requests;

    /**
     * An entrance.
     *
     * @param requests knows whether there may be more of them
     */
    Entrance(OpenRequests requests) {
        this.requests = requests;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http
                && response instanceof HttpServletResponse answer)) {
            chain.doFilter(request, response);
            return;
        }
        answer.setHeader("Cache-Control", "no-cache, private");
        if (requests.isClosed() && !HealthPages.paths().contains(http.getRequestURI())) {
            OpenRequests.SHUTTING_DOWN.toSender(http).send(answer);
        } else if (http.getMethod().equals("TRACE") || http.getMethod().equals("OPTIONS")) {
            Reply.of(StatusErrors.methodNotAllowed())
                    .with("Allow", "GET")
                    .toSender(http)
                    .send(answer);
        } else {
            chain.doFilter(request, response);
        }
    }
}
