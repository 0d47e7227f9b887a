package io.kubemirror.api.server;

import io.kubemirror.api.http.PercentEncoding;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.Status;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.util.Optional;

/**
 * Goes before everything else: no answer may be stored (list-watch.md#en-11), and methods that the
 * framework would answer itself are refused as all others are (list-watch.md#pa-14): {@code TRACE}
 * with the request's headers, and {@code OPTIONS}, as a preflight of a web page, with a list of
 * methods that are not served; so are web pages of strangers. Last of all, credentials are asked
 * for if they are needed, but not for health. When the process is about to end, only health is
 * still told (list-watch.md#in-6), and so it is on connections beyond their limit.
 */
public final class ApiFilter extends HttpOnlyFilter {

    private final RequestTracker requests;
    private final ConnectionLimiter connections;
    private final OriginGuard strangers;
    private final AuthenticationFilter authenticationFilter;

    /**
     * An entrance.
     *
     * @param requests knows whether there may be more of them
     * @param connections knows which of them are too many
     * @param strangers knows which of them come from web pages of strangers
     * @param authenticationFilter asks for credentials
     */
    public ApiFilter(
            RequestTracker requests,
            ConnectionLimiter connections,
            OriginGuard strangers,
            AuthenticationFilter authenticationFilter) {
        this.requests = requests;
        this.connections = connections;
        this.strangers = strangers;
        this.authenticationFilter = authenticationFilter;
    }

    @Override
    void check(HttpServletRequest request, HttpServletResponse response, FilterChain further)
            throws IOException, ServletException {
        response.setHeader("Cache-Control", "no-cache, private");
        Optional<Reply> refusal = refusal(request, response);
        if (refusal.isPresent()) {
            refusal.get().toSender(request).send(response);
        } else if (authenticationFilter.isOpen() || isForAll(request)) {
            further.doFilter(request, response);
        } else {
            authenticationFilter.admit(request, response, IntentReader.of(request));
        }
    }

    private static boolean isForAll(HttpServletRequest request) {
        return HealthEndpoints.areAskedFor(request) || ManagementFilter.hasPassed(request);
    }

    private Optional<Reply> refusal(HttpServletRequest request, HttpServletResponse response) {
        Optional<Status> excess = connections.received(request);
        if (excess.isPresent()) {
            response.setHeader("Connection", "close");
        }
        boolean health = HealthEndpoints.areAskedFor(request);
        if (requests.isClosed() && !health) {
            return Optional.of(RequestTracker.SHUTTING_DOWN);
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
