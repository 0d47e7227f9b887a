package io.kubemirror.api.server;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;

import jakarta.servlet.http.HttpServletRequest;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Answers requests in the place of the mirrors. Beans are asked in their order, once for each
 * request; what none of them handles, the mirrors answer.
 */
public interface RequestHandler {

    /** Returns whether it answers a request. Must not block. */
    boolean handles(HttpServletRequest request);

    /** Returns whether the server that it asks decides about the client, instead of kubemirror. */
    default boolean isAuthorizedElsewhere(HttpServletRequest request) {
        return false;
    }

    /** Returns whether it takes requests of all methods, which may have effects. */
    default boolean hasEffects() {
        return false;
    }

    /** Returns the memory of a request until it is answered, in bytes. */
    int memory();

    /**
     * Returns whether it may answer reads of a resource that a mirror does not cover or cannot
     * render: not if it would show what the mirrors hide.
     */
    default boolean mayRead(RequestPath.Resource resource) {
        return false;
    }

    /** Returns whether a read has what it needs to be answered in the place of a mirror. */
    default boolean accepts(HttpServletRequest request) {
        return false;
    }

    /**
     * Answers a request, and blocks until the response has been sent, except for a change of the
     * protocol.
     *
     * @throws Rejection if the request is refused
     * @throws IOException if the client or the server has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    void answer(Exchange exchange) throws Rejection, IOException, InterruptedException;

    /**
     * All handlers.
     *
     * @param all in the order in which they are asked
     */
    record RequestHandlers(List<RequestHandler> all) {

        /** Returns the one that answers a request, empty if mirrors do. */
        Optional<RequestHandler> of(HttpServletRequest request) {
            return all.stream().filter(one -> one.handles(request)).findFirst();
        }

        /** Returns whether requests of all methods are taken, which may have effects. */
        public boolean haveEffects() {
            return all.stream().anyMatch(RequestHandler::hasEffects);
        }

        /** Returns the one that may answer reads of a resource in the place of its mirrors. */
        public Optional<RequestHandler> reader(RequestPath.Resource resource) {
            return all.stream().filter(one -> one.mayRead(resource)).findFirst();
        }
    }
}
