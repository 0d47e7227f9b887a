package io.kubemirror.web;

import io.kubemirror.model.Status;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.util.Optional;

/**
 * Goes before everything else: no answer may be stored (EN-11), and methods that the framework
 * would answer itself are refused as all others are (PA-14): {@code TRACE} with the request's
 * headers, and {@code OPTIONS}, as a preflight of a web page, with a list of methods that are not
 * served; so are web pages of strangers. Last of all, credentials are asked for if they are needed,
 * but not for health. When the process is about to end, only health is still told (IN-6), and so it
 * is on connections beyond their limit.
 */
final class Entrance extends Checkpoint {

    private final OpenRequests requests;
    private final Connections connections;
    private final StrangerGuard strangers;
    private final Gate gate;

    /**
     * An entrance.
     *
     * @param requests knows whether there may be more of them
     * @param connections knows which of them are too many
     * @param strangers knows which of them come from web pages of strangers
     * @param gate asks for credentials
     */
    Entrance(OpenRequests requests, Connections connections, StrangerGuard strangers, Gate gate) {
        this.requests = requests;
        this.connections = connections;
        this.strangers = strangers;
        this.gate = gate;
    }

    @Override
    void check(HttpServletRequest request, HttpServletResponse response, FilterChain further)
            throws IOException, ServletException {
        response.setHeader("Cache-Control", "no-cache, private");
        Optional<Reply> refusal = refusal(request, response);
        if (refusal.isPresent()) {
            refusal.get().toSender(request).send(response);
        } else if (gate.isOpen() || isForAll(request)) {
            further.doFilter(request, response);
        } else {
            gate.admit(request, response, Intents.of(request));
        }
    }

    private static boolean isForAll(HttpServletRequest request) {
        return HealthPages.areAskedFor(request) || ManagementGuard.hasPassed(request);
    }

    private Optional<Reply> refusal(HttpServletRequest request, HttpServletResponse response) {
        Optional<Status> excess = connections.received(request);
        if (excess.isPresent()) {
            response.setHeader("Connection", "close");
        }
        boolean health = HealthPages.areAskedFor(request);
        if (requests.isClosed() && !health) {
            return Optional.of(OpenRequests.SHUTTING_DOWN);
        }
        if (excess.isPresent() && !health) {
            return excess.map(Reply::of);
        }
        if (PercentEncoding.isMalformed(request.getRequestURI())) {
            return Optional.of(Reply.BAD_REQUEST);
        }
        return request.getMethod().equals("TRACE") || request.getMethod().equals("OPTIONS")
                ? Optional.of(Reply.of(StatusErrors.methodNotAllowed()).with("Allow", "GET"))
                : strangers.refusal(request).map(Reply::of);
    }
}
