package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.StatusErrors;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.web.HttpRequestHandler;

/**
 * Answers requests that fail outside of kubemirror's own code with a Status instead of Boot's error
 * page (list-watch.md#tr-1).
 */
public final class ErrorResponses implements ErrorController, HttpRequestHandler {

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setHeader("Cache-Control", "no-cache, private");
        reply(request).toSender(request).send(response);
    }

    private static Reply reply(HttpServletRequest request) {
        Object code = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        if (request.getDispatcherType() != DispatcherType.ERROR || code == null) {
            return Reply.NOT_A_PAGE;
        }
        return switch (code) {
            case Integer failed when failed == 404 -> Reply.NOT_A_PAGE;
            case Integer failed when failed == 405 -> Reply.of(StatusErrors.methodNotAllowed());
            case Integer failed when failed < 500 ->
                    Reply.of(StatusErrors.badRequest("cannot parse the request"));
            default -> Reply.of(StatusErrors.internal("see the log of kubemirror"));
        };
    }
}
