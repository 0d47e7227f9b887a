package io.kubemirror.api.server;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;

/**
 * What a request passes before anything else looks at it; one that is not HTTP, of which Jetty has
 * none, goes through.
 *
 * <p>Rejected: the servlet API's {@code HttpFilter}, which is serialisable, and what checks
 * requests is not.
 */
abstract class HttpOnlyFilter implements Filter {

    @Override
    public final void doFilter(
            ServletRequest request, ServletResponse response, FilterChain further)
            throws IOException, ServletException {
        giveWay();
        if (request instanceof HttpServletRequest http
                && response instanceof HttpServletResponse answer) {
            check(http, answer, further);
        } else {
            further.doFilter(request, response);
        }
    }

    /**
     * Lets the requests of other connections go first. Jetty answers what a client has sent ahead
     * on one virtual thread, which would keep its processor until the client's connection is full.
     */
    @SuppressWarnings("ThreadPriorityCheck") // Of virtual threads it is their own scheduler.
    private static void giveWay() {
        if (Thread.currentThread().isVirtual()) {
            Thread.yield();
        }
    }

    /** Answers the request, or lets it go further. */
    abstract void check(
            HttpServletRequest request, HttpServletResponse response, FilterChain further)
            throws IOException, ServletException;
}
