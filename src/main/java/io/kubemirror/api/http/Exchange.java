package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.api.http.RequestMeters.RequestObservation;
import io.kubemirror.model.GoString;
import io.kubemirror.model.Revision;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * A request and its response.
 *
 * @param request the request
 * @param response the response
 * @param parsed the parsed request
 * @param note the observation for the metrics
 * @param memory the budgets that the response is charged to
 */
public record Exchange(
        HttpServletRequest request,
        HttpServletResponse response,
        ParsedRequest parsed,
        RequestObservation note,
        ClientMemory memory) {

    /**
     * The header with a revision that the answer to a read must not be before (list-watch.md#ry-5),
     * of reads, writes, and the answers to writes.
     */
    public static final String MIN_REVISION = "Kubemirror-Min-Revision";

    private static final String SPRING = "org.springframework.";

    /** Returns the query of the request. */
    public Query query() {
        return parsed.query();
    }

    /** Whether the rest of the response is a watch. */
    public boolean isWatch() {
        return parsed.requestPath().isWatch(query());
    }

    /**
     * Returns the maximum duration of the request, unless it is a watch (list-watch.md#de-7).
     *
     * @throws Rejection if its parameter is not a duration
     */
    public Duration allotted() throws Rejection {
        return isWatch() ? Query.MAX_TIMEOUT : query().timeout();
    }

    /**
     * Returns the revision that the answer must not be before, 0 if the request names none.
     *
     * @throws Rejection if the header is not a revision
     */
    public Revision minRevision() throws Rejection {
        return minRevision(request.getHeader(MIN_REVISION));
    }

    /**
     * Returns the revision in a header, 0 if it is absent.
     *
     * @throws Rejection if it is not a revision
     */
    public static Revision minRevision(@Nullable String header) throws Rejection {
        if (header == null) {
            return Revision.ZERO;
        }
        if (!Revision.isDecimal(header)) {
            throw Rejection.badRequest(
                    "invalid " + MIN_REVISION + " " + GoString.quote(header) + ": not a revision");
        }
        return new Revision(header);
    }

    /** Whether the request is a WebSocket handshake with a key (RFC 6455, 4.1). */
    public boolean isWebSocketUpgrade() {
        return "websocket".equalsIgnoreCase(request.getHeader("Upgrade"))
                && request.getHeader("Sec-WebSocket-Key") != null;
    }

    /**
     * Records that a watch is open, whose events are the rest of the response. Drops what Spring
     * and {@link ParsedRequest} have left at the request, which lives as long as the watch.
     */
    public void beginWatch() {
        note.answered(response.getStatus());
        Collections.list(request.getAttributeNames()).stream()
                .filter(name -> name.startsWith(SPRING) || name.equals(ParsedRequest.ATTRIBUTE))
                .forEach(request::removeAttribute);
    }

    /**
     * Returns whether Jetty has ended a request while it was answered: because its client has
     * canceled it, or because the server stops.
     */
    public static boolean isOver(HttpServletResponse response) {
        try {
            return response.getStatus() < 0;
        } catch (RuntimeException recycled) {
            return true;
        }
    }

    /**
     * Aborts the response, so that no client mistakes a part of it for the whole: resets its stream
     * of HTTP/2, or closes its connection, which has no other. The request has to be completed as
     * any other.
     */
    public void abort() {
        try {
            abort(ServletContextRequest.getServletContextRequest(request));
        } catch (RuntimeException recycled) {
            // There is nothing to abort if Jetty has already ended it.
            if (!isOver(response)) {
                throw recycled;
            }
        }
    }

    private void abort(ServletContextRequest received) {
        if (received.getConnectionMetaData().getConnection() instanceof HTTP2Connection shared) {
            Stream stream = stream(received, shared);
            // Jetty's own way to abort a request logs a warning if the client has reset it, too.
            if (stream != null) {
                stream.reset(
                        new ResetFrame(stream.getId(), ErrorCode.CANCEL_STREAM_ERROR.code),
                        Callback.NOOP);
            }
        } else {
            endPoint(request).close();
        }
    }

    private static @Nullable Stream stream(ServletContextRequest received, HTTP2Connection shared) {
        return shared.getSession().getStream(Integer.parseInt(received.getId()));
    }

    /**
     * Returns what sets the time in milliseconds for which the client may be idle: on its stream of
     * HTTP/2, whose connection stays open meanwhile, or on its connection, which has no other.
     */
    public LongConsumer idleTimeout() {
        ServletContextRequest received = ServletContextRequest.getServletContextRequest(request);
        if (received.getConnectionMetaData().getConnection() instanceof HTTP2Connection shared) {
            Stream stream = stream(received, shared);
            return stream == null ? _ -> {} : stream::setIdleTimeout;
        }
        return endPoint(request)::setIdleTimeout;
    }

    /** Returns the connection that a request arrived on. */
    public static EndPoint endPoint(HttpServletRequest request) {
        return ServletContextRequest.getServletContextRequest(request)
                .getConnectionMetaData()
                .getConnection()
                .getEndPoint();
    }

    /**
     * Refuses every method except GET (list-watch.md#pa-14, #pa-18).
     *
     * @throws Rejection if the request has another method
     */
    public void requireGet() throws Rejection {
        if (!request.getMethod().equals("GET")) {
            throw new Rejection(
                    Reply.of(StatusErrors.notPassedOn("is read-only")).with("Allow", "GET"));
        }
    }
}
