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
 * A filter that runs before all other request handling. Requests that are not HTTP, which Jetty
 * does not produce, pass unchecked.
 *
 * <p>Rejected: the servlet API's {@code HttpFilter}, because it is serializable and the
 * collaborators of filters are not.
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
     * Yields to the requests of other connections. Jetty answers pipelined requests on one virtual
     * thread, which would keep its carrier thread until the client's socket buffer is full.
     */
    @SuppressWarnings("ThreadPriorityCheck") // Of virtual threads it is their own scheduler.
    private static void giveWay() {
        if (Thread.currentThread().isVirtual()) {
            Thread.yield();
        }
    }

    /** Answers the request, or passes it to the chain. */
    abstract void check(
            HttpServletRequest request, HttpServletResponse response, FilterChain further)
            throws IOException, ServletException;
}
