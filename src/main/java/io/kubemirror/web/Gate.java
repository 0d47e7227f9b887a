package io.kubemirror.web;

import io.kubemirror.access.Access;
import io.kubemirror.access.Verdict;
import io.kubemirror.model.Intent;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Lets requests through whose senders may read what they ask for. Since the API server may have to
 * be asked, each waits on a thread of its own and is then dispatched once more, so that nobody can
 * keep the server's few threads by inventing tokens.
 */
final class Gate {

    private static final Logger log = LoggerFactory.getLogger(Gate.class);

    private final Supplier<Access> access;
    private final Executor threads;

    /**
     * A gate.
     *
     * @param access decides; asked for not before the first request
     * @param threads runs each task at once, on a thread of its own
     */
    Gate(Supplier<Access> access, Executor threads) {
        this.access = access;
        this.threads = threads;
    }

    /** Whether nobody is asked for credentials. */
    boolean isOpen() {
        return switch (access.get()) {
            case Access.Open _ -> true;
            case Access.Guarded _ -> false;
        };
    }

    /** Takes a request over: refuses it, or dispatches it again with its {@link Pass}. */
    void admit(HttpServletRequest request, HttpServletResponse response, Intent intent) {
        AsyncContext async = request.startAsync();
        async.setTimeout(0);
        threads.execute(
                () -> {
                    Optional<Reply> refusal = refusal(request, intent);
                    if (refusal.isEmpty()) {
                        async.dispatch();
                    } else {
                        send(refusal.get().toSender(request), response);
                        async.complete();
                    }
                });
    }

    private Optional<Reply> refusal(HttpServletRequest request, Intent intent) {
        if (impersonates(request)) {
            return Optional.of(Reply.of(StatusErrors.noImpersonation()));
        }
        Optional<Reply> impossible = Intents.impossible(intent);
        if (impossible.isPresent()) {
            return impossible;
        }
        Pass pass = Pass.shown(request, intent);
        try {
            return switch (check(pass)) {
                case Verdict.Admitted _ -> {
                    pass.accompany(request);
                    yield Optional.empty();
                }
                case Verdict.Unauthenticated _ ->
                        Optional.of(Reply.of(StatusErrors.unauthorized()));
                case Verdict.Forbidden forbidden ->
                        Optional.of(
                                Reply.of(StatusErrors.forbidden(forbidden))
                                        .with("X-Content-Type-Options", "nosniff"));
                case Verdict.Unavailable(var why) ->
                        Optional.of(Reply.of(StatusErrors.accessUnknown(why)));
            };
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.of(OpenRequests.SHUTTING_DOWN);
        } catch (RuntimeException bug) {
            log.error("A request could not be decided about", bug);
            return Optional.of(Reply.of(StatusErrors.internal("see the log of kubemirror")));
        }
    }

    private Verdict check(Pass pass) throws InterruptedException {
        return switch (access.get()) {
            case Access.Open _ -> new Verdict.Unauthenticated();
            case Access.Guarded guarded -> guarded.check(pass.credentials(), pass.intent());
        };
    }

    private static boolean impersonates(HttpServletRequest request) {
        return Collections.list(request.getHeaderNames()).stream()
                .anyMatch(name -> name.regionMatches(true, 0, "Impersonate-", 0, 12));
    }

    private static void send(Reply reply, HttpServletResponse response) {
        try {
            reply.send(response);
        } catch (IOException gone) {
            log.debug("A client went away: {}", gone.toString());
        }
    }
}
