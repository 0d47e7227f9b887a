package io.kubemirror.api.server;

import io.kubemirror.api.http.ParsedRequest;
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
 * The first filter of the management port. Health, version, and metrics are available from anywhere
 * and without credentials, for the kubelet and Prometheus. Other endpoints are available on
 * loopback only, and not to web pages of other origins. If authentication is configured, authorized
 * clients can also access them from elsewhere.
 *
 * <p>The address of a client is that of its connection. Headers such as {@code X-Forwarded-For} are
 * ignored because any client can send them.
 */
final class ManagementFilter extends HttpOnlyFilter {

    /** Paths without ambiguity: no dots, escapes, parameters, or empty segments. */
    private static final Pattern PLAIN = Pattern.compile("(/[A-Za-z0-9_-]+)+");

    private static final String PASSED = ManagementFilter.class.getName();

    private final Set<String> open;
    private final String health;
    private final OriginGuard originGuard;
    private final AuthenticationFilter authenticationFilter;
    private final ManagementConnections connections;

    /**
     * Creates the filter.
     *
     * @param open the paths that need no credentials
     * @param health one of them; the paths below it need no credentials either
     * @param originGuard detects requests from web pages of other origins
     * @param authenticationFilter checks the credentials of other requests
     * @param connections notified of each request
     */
    ManagementFilter(
            Set<String> open,
            String health,
            OriginGuard originGuard,
            AuthenticationFilter authenticationFilter,
            ManagementConnections connections) {
        this.connections = connections;
        this.open = Set.copyOf(open);
        this.health = health;
        this.originGuard = originGuard;
        this.authenticationFilter = authenticationFilter;
    }

    @Override
    void check(HttpServletRequest request, HttpServletResponse response, FilterChain further)
            throws IOException, ServletException {
        connections.received(request);
        if (ParsedRequest.of(request).path().isEmpty()) {
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

    /**
     * Whether this filter has admitted the request. The filter of the API's port does not check it
     * again.
     */
    static boolean hasPassed(HttpServletRequest request) {
        return request.getAttribute(PASSED) != null;
    }

    /** Returns why a request without credentials is refused, if it is. */
    private Optional<Status> refusal(HttpServletRequest request) {
        if (isOpen(request.getRequestURI())) {
            return Optional.empty();
        }
        return isFromLoopback(request)
                ? originGuard.refusal(request)
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
