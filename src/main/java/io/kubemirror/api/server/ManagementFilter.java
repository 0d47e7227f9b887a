package io.kubemirror.api.server;

import io.kubemirror.api.http.PercentEncoding;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.Intent;
import io.kubemirror.model.Status;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Goes before everything on the management port: the kubelet and Prometheus get health, version and
 * metrics from anywhere and without credentials; whatever else is told there is for the same
 * machine or pod, and for no web page of a stranger. Where credentials are asked for, those who are
 * permitted to get the path are told it too.
 *
 * <p>Who asks is told by the connection itself, never by a header: {@code X-Forwarded-For} can be
 * written by anybody.
 */
final class ManagementFilter extends HttpOnlyFilter {

    /** Paths that nobody reads in two ways: no dots, escapes, parameters or empty segments. */
    private static final Pattern PLAIN = Pattern.compile("(/[A-Za-z0-9_-]+)+");

    private static final String PASSED = ManagementFilter.class.getName();

    private final Set<String> open;
    private final String health;
    private final OriginGuard strangers;
    private final AuthenticationFilter authenticationFilter;
    private final ManagementConnections connections;

    /**
     * A guard.
     *
     * @param open the paths that are open to all
     * @param health one of them, below which everything is open too
     * @param strangers knows the web pages of strangers
     * @param authenticationFilter asks others for credentials
     * @param connections told of each request
     */
    ManagementFilter(
            Set<String> open,
            String health,
            OriginGuard strangers,
            AuthenticationFilter authenticationFilter,
            ManagementConnections connections) {
        this.connections = connections;
        this.open = Set.copyOf(open);
        this.health = health;
        this.strangers = strangers;
        this.authenticationFilter = authenticationFilter;
    }

    @Override
    void check(HttpServletRequest request, HttpServletResponse response, FilterChain further)
            throws IOException, ServletException {
        connections.received(request);
        if (PercentEncoding.isMalformed(request.getRequestURI())) {
            Reply.BAD_REQUEST.send(response);
            return;
        }
        Optional<Status> refusal = refusal(request);
        if (refusal.isEmpty()) {
            request.setAttribute(PASSED, true);
            further.doFilter(request, response);
            return;
        }
        response.setHeader("Cache-Control", "no-cache, private");
        if (authenticationFilter.isOpen()) {
            Reply.of(refusal.get()).send(response);
        } else {
            authenticationFilter.admit(
                    request, response, new Intent.OnPath(request.getRequestURI()));
        }
    }

    /** Whether the guard has let a request through, which the API's port need not ask again. */
    static boolean hasPassed(HttpServletRequest request) {
        return request.getAttribute(PASSED) != null;
    }

    /** Why a request without credentials is refused, if it is. */
    private Optional<Status> refusal(HttpServletRequest request) {
        if (isOpen(request.getRequestURI())) {
            return Optional.empty();
        }
        return isFromLoopback(request)
                ? strangers.refusal(request)
                : Optional.of(StatusErrors.onlyFromLoopback());
    }

    private boolean isOpen(String path) {
        return PLAIN.matcher(path).matches()
                && (open.contains(path) || path.startsWith(health + "/"));
    }

    private static boolean isFromLoopback(HttpServletRequest request) {
        SocketAddress client =
                ServletContextRequest.getServletContextRequest(request)
                        .getConnectionMetaData()
                        .getConnection()
                        .getEndPoint()
                        .getRemoteSocketAddress();
        return client instanceof InetSocketAddress address
                && address.getAddress() != null
                && address.getAddress().isLoopbackAddress();
    }
}
