package io.kubemirror.api.server;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.servlet.DispatcherServlet;

import java.io.IOException;

/**
 * The servlet of the API's port. {@code OPTIONS} is handled as all methods are: the framework would
 * add an {@code Allow} of its own, while another thread answers.
 */
public final class ApiServlet extends DispatcherServlet {

    private static final long serialVersionUID = 1L;

    @Override
    protected void doOptions(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        processRequest(request, response);
    }
}
