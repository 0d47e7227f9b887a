package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.http.AccessControl.AccessDecision;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.Permission;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates and authorizes requests. The API server may have to be called for a decision, so
 * each request waits on a thread of its own and is then dispatched again. Clients that send random
 * tokens therefore cannot occupy the few threads of the server.
 *
 * @param access makes the decisions; not read before the first request
 * @param threads runs each task immediately, on a thread of its own
 */
public record AuthenticationFilter(Supplier<AccessControl> access, Executor threads) {

    private static final Logger log = LoggerFactory.getLogger(AuthenticationFilter.class);

    private static final Reply INTERNAL =
            Reply.of(StatusErrors.internal("see the log of kubemirror"));

    /** Whether no credentials are required. */
    public boolean isOpen() {
        return access.get().isOpen();
    }

    /**
     * Takes over a request: refuses it, or dispatches it again with its {@link RequestCredentials}.
     *
     * @param permissions what it needs, each of them, at least one
     * @param admitted called for an admitted request before it is dispatched
     */
    void admit(
            HttpServletRequest request,
            HttpServletResponse response,
            List<Permission> permissions,
            Runnable admitted) {
        ParsedRequest parsed = ParsedRequest.of(request);
        Optional<Reply> impossible = impossible(request, permissions);
        if (impossible.isPresent()) {
            send(impossible.get().toSender(parsed), response);
            return;
        }
        AsyncContext async = request.startAsync();
        async.setTimeout(0);
        // Read here: Jetty takes the request back when its client cancels it.
        List<RequestCredentials> wanted =
                permissions.stream().map(one -> RequestCredentials.of(request, one)).toList();
        Consumer<RequestCredentials> dispatch =
                client -> {
                    client.attachTo(request);
                    admitted.run();
                    async.dispatch();
                };
        try {
            threads.execute(() -> proceed(wanted, dispatch, parsed, response, async));
        } catch (RuntimeException | Error unstarted) {
            log.error("Cannot check the credentials of a request", unstarted);
            send(INTERNAL.toSender(parsed), response);
            async.complete();
        }
    }

    /** Dispatches or refuses a request, which Jetty may have ended already. */
    private void proceed(
            List<RequestCredentials> wanted,
            Consumer<RequestCredentials> dispatch,
            ParsedRequest parsed,
            HttpServletResponse response,
            AsyncContext async) {
        try {
            try {
                dispatch.accept(admitted(wanted));
            } catch (Rejection refusal) {
                send(refusal.reply().toSender(parsed), response);
                async.complete();
            }
        } catch (RuntimeException | Error defect) {
            if (defect instanceof IllegalStateException || Exchange.isOver(response)) {
                log.debug("Jetty has already ended the request: {}", defect.toString());
                return;
            }
            log.error("Cannot continue a request", defect);
            async.complete();
        }
    }

    private static Optional<Reply> impossible(
            HttpServletRequest request, List<Permission> permissions) {
        return isImpersonation(request)
                ? Optional.of(
                        Reply.of(
                                StatusErrors.badRequest(
                                        "kubemirror does not support impersonation")))
                : permissions.stream().allMatch(PermissionReader::isPossible)
                        ? Optional.empty()
                        : Optional.of(Reply.NOT_A_PAGE);
    }

    /** Returns the last of some credentials, with the name of the client, if each is admitted. */
    private RequestCredentials admitted(List<RequestCredentials> wanted) throws Rejection {
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

    private static void send(Reply reply, HttpServletResponse response) {
        try {
            reply.send(response);
        } catch (IOException gone) {
            log.debug("A client disconnected: {}", gone.toString());
        }
    }
}
