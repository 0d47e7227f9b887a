package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.http.AccessControl.AccessDecision;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.Permission;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates and authorizes requests. A decision may wait for the API server.
 *
 * @param access makes the decisions; not read before the first request
 */
public record AuthenticationFilter(Supplier<AccessControl> access) {

    private static final Logger log = LoggerFactory.getLogger(AuthenticationFilter.class);

    private static final Reply INTERNAL =
            Reply.of(StatusErrors.internal("see the log of kubemirror"));

    /** Whether no credentials are required. */
    public boolean isOpen() {
        return access.get().isOpen();
    }

    /**
     * Attaches {@link RequestCredentials} to a request that is admitted, and refuses any other.
     *
     * @param permissions what it needs, each of them, at least one
     * @return whether it is admitted
     * @throws IOException if the client has disconnected
     */
    boolean admit(
            HttpServletRequest request, HttpServletResponse response, List<Permission> permissions)
            throws IOException {
        try {
            requirePossible(request, permissions);
            admitted(request, permissions).attachTo(request);
            return true;
        } catch (Rejection refusal) {
            refusal.reply().toSender(ParsedRequest.of(request)).send(response);
            return false;
        }
    }

    private static void requirePossible(HttpServletRequest request, List<Permission> permissions)
            throws Rejection {
        if (isImpersonation(request)) {
            throw Rejection.badRequest("kubemirror does not support impersonation");
        }
        if (!permissions.stream().allMatch(PermissionReader::isPossible)) {
            throw new Rejection(Reply.NOT_A_PAGE);
        }
    }

    /** Returns the credentials for the last of some permissions, if each is granted. */
    private RequestCredentials admitted(HttpServletRequest request, List<Permission> permissions)
            throws Rejection {
        List<RequestCredentials> wanted =
                permissions.stream().map(one -> RequestCredentials.of(request, one)).toList();
        RequestCredentials last = wanted.getLast();
        for (RequestCredentials one : wanted) {
            last =
                    switch (decide(one)) {
                        case AccessDecision.Admitted(var user) -> one.withUser(user);
                        case AccessDecision.Unauthenticated _ ->
                                throw new Rejection(StatusErrors.unauthorized());
                        case AccessDecision.Forbidden forbidden ->
                                throw new Rejection(
                                        Reply.of(StatusErrors.forbidden(forbidden))
                                                .with("X-Content-Type-Options", "nosniff"));
                        case AccessDecision.Unavailable(var why) ->
                                throw new Rejection(StatusErrors.accessUnknown(why));
                    };
        }
        return last;
    }

    private AccessDecision decide(RequestCredentials wanted) throws Rejection {
        try {
            return access.get().check(wanted.credentials(), wanted.permission());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new Rejection(RequestTracker.shuttingDown());
        } catch (RuntimeException | Error defect) {
            log.error("Cannot authorize a request", defect);
            throw new Rejection(INTERNAL);
        }
    }

    /** Returns whether a client acts as another user. */
    public static boolean isImpersonation(HttpServletRequest request) {
        return Collections.list(request.getHeaderNames()).stream()
                .anyMatch(name -> name.regionMatches(true, 0, "Impersonate-", 0, 12));
    }
}
