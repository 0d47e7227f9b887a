package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Permission;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Answers requests in the place of the mirrors. Beans are asked in their order, once for each
 * request, and the first decision holds. What none of them takes, the mirrors answer.
 */
public interface RequestHandler {

    /**
     * Decides about a request. Must not block.
     *
     * @param mirrored whether mirrors have the resource in the path, in whatever part
     * @return empty if it does not take the request
     */
    Optional<Admission> decide(HttpServletRequest request, boolean mirrored);

    /**
     * Answers a request that it has taken, on a thread where it may wait.
     *
     * @return the watch that is the rest of the response, if there is one
     * @throws Rejection if the request is refused
     * @throws IOException if the client or the server has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    Optional<WatchConnection> answer(Exchange exchange)
            throws Rejection, IOException, InterruptedException;

    /** Returns whether it takes requests of all methods, which may have effects. */
    default boolean hasEffects() {
        return false;
    }

    /**
     * What answers a request, and what its client needs for it. Decided once for each request, and
     * attached to it when the client is admitted: discovery and mirrors on demand change what is
     * mirrored while a request is on its way.
     *
     * <p>Only this package attaches one, and nothing else asks the handlers. So no mirror is read
     * for a client whose credentials were not checked, and no second decision contradicts the
     * first.
     *
     * @param handler answers the request, empty if mirrors do
     * @param mirrors those of the resource in the path when it was decided who answers
     * @param permissions returns what the client of a request needs, each of them, at least one;
     *     empty if the server that the handler asks decides, by the credentials of the client
     * @param memory the memory of the request until it is answered, in bytes
     */
    record Admission(
            Optional<RequestHandler> handler,
            List<Mirror> mirrors,
            Optional<Function<HttpServletRequest, List<Permission>>> permissions,
            int memory) {

        private static final String ATTRIBUTE = Admission.class.getName();

        /** Creates the decision that a handler answers. */
        public Admission(
                RequestHandler handler,
                Optional<Function<HttpServletRequest, List<Permission>>> permissions,
                int memory) {
            this(Optional.of(handler), List.of(), permissions, memory);
        }

        /**
         * Returns the decision that mirrors answer. The charge of the connection includes a watch,
         * and what is answered without waiting.
         *
         * @param mirrors those of the resource in the path
         */
        static Admission ofMirrors(List<Mirror> mirrors, HttpServletRequest request) {
            ParsedRequest parsed = ParsedRequest.of(request);
            boolean waits =
                    !mirrors.isEmpty()
                            && request.getMethod().equals("GET")
                            && !parsed.requestPath().isWatch(parsed.query());
            return new Admission(
                    Optional.empty(),
                    mirrors,
                    Optional.of(PermissionReader::allOfRead),
                    waits ? ClientMemory.RESPONSE : 0);
        }

        void attachTo(HttpServletRequest request) {
            request.setAttribute(ATTRIBUTE, this);
        }

        /**
         * Takes the admission from a request, which lives as long as a watch; empty for pages that
         * are available to everyone.
         */
        public static Optional<Admission> take(HttpServletRequest request) {
            Optional<Admission> taken =
                    Optional.ofNullable((Admission) request.getAttribute(ATTRIBUTE));
            request.removeAttribute(ATTRIBUTE);
            return taken;
        }
    }
}
