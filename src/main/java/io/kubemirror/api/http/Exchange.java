package io.kubemirror.api.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;

import java.time.Duration;

/**
 * A request and the response to it.
 *
 * @param request the request
 * @param response the response
 * @param query the request's query
 * @param allotted how long the request may take, if it is no watch (list-watch.md#de-7a)
 * @param note what is to be counted of it
 * @param memory the budgets that the answer draws from
 */
public record Exchange(
        HttpServletRequest request,
        HttpServletResponse response,
        Query query,
        Duration allotted,
        RequestObservation note,
        ClientMemory memory) {

    /** What the client accepts. */
    public Accept accept() {
        return Accept.parse(request.getHeader("Accept"));
    }

    /**
     * Whether a document is to be indented that a clause of {@code Accept} asks for
     * (list-watch.md#ne-12).
     */
    public boolean isIndented(MediaRange clause) {
        return Indentation.ofDocument(request, clause);
    }

    /** Whether the client wants to go on by WebSocket, and has sent its key (RFC 6455, 4.1). */
    public boolean isWebSocketUpgrade() {
        return "websocket".equalsIgnoreCase(request.getHeader("Upgrade"))
                && request.getHeader("Sec-WebSocket-Key") != null;
    }

    /** Breaks the connection off, so that nobody takes what was sent for a whole answer. */
    public void abort() {
        ServletContextRequest.getServletContextRequest(request)
                .getConnectionMetaData()
                .getConnection()
                .getEndPoint()
                .close();
    }

    /**
     * Refuses every method but GET (list-watch.md#pa-14, #pa-18).
     *
     * @throws Rejection if the request has another
     */
    public void requireGet() throws Rejection {
        if (!request.getMethod().equals("GET")) {
            throw new Rejection(Reply.of(StatusErrors.methodNotAllowed()).with("Allow", "GET"));
        }
    }
}
