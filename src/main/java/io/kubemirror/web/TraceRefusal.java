package io.kubemirror.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;

/** Refuses {@code TRACE}, which the servlet itself would answer with the request's headers. */
final class TraceRefusal implements Filter {

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest http
                && response instanceof HttpServletResponse answer
                && http.getMethod().equals("TRACE")) {
            Reply.of(StatusErrors.methodNotAllowed()).with("Allow", "GET").send(answer);
        } else {
            chain.doFilter(request, response);
        }
    }
}
