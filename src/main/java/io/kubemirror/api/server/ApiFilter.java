package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.server.ManagementFilterConfiguration.ManagementFilter;
import io.kubemirror.api.server.RequestHandler.Admission;
import io.kubemirror.mirror.Mirror;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The first filter of the API's port. It checks requests in this order:
 *
 * <ol>
 *   <li>No response may be stored by caches (list-watch.md#en-11).
 *   <li>During shutdown, requests are refused (list-watch.md#in-6).
 *   <li>Paths with malformed escapes and methods that are no tokens are refused.
 *   <li>{@code TRACE}, and {@code OPTIONS} unless it is passed on, are refused as all unsupported
 *       methods are (list-watch.md#pa-14).
 *   <li>Requests from web pages of other origins are refused.
 *   <li>It is decided who answers (see {@link Admission}), and credentials are checked if they are
 *       required.
 * </ol>
 *
 * <p>Health endpoints are exempt from the checks of shutdown and credentials.
 *
 * <p>Rejected: the servlet API's {@code HttpFilter}, because it is serializable and the
 * collaborators of filters are not.
 */
public final class ApiFilter extends OncePerRequestFilter {

    /** A token (RFC 9110, 5.6.2). */
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private final RequestTracker requests;
    private final OriginGuard originGuard;
    private final AuthenticationFilter authenticationFilter;
    private final Supplier<List<RequestHandler>> handlers;
    private final Supplier<MirrorDirectory> directory;

    /**
     * Creates the filter.
     *
     * @param requests the requests in progress, and whether new ones are accepted
     * @param originGuard detects requests from web pages of other origins
     * @param authenticationFilter checks credentials
     * @param handlers answer requests instead of the mirrors, in the order in which they are asked;
     *     not read before the first request
     * @param directory has the mirrors; not read before the first request
     */
    public ApiFilter(
            RequestTracker requests,
            OriginGuard originGuard,
            AuthenticationFilter authenticationFilter,
            Supplier<List<RequestHandler>> handlers,
            Supplier<MirrorDirectory> directory) {
        this.requests = requests;
        this.originGuard = originGuard;
        this.authenticationFilter = authenticationFilter;
        this.handlers = handlers;
        this.directory = directory;
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain further)
            throws IOException, ServletException {
        response.setHeader("Cache-Control", "no-cache, private");
        Optional<Reply> refusal = refusal(request);
        if (refusal.isPresent()) {
            refusal.get().toSender(ParsedRequest.of(request)).send(response);
            return;
        }
        Admission admission = decide(request);
        boolean open = authenticationFilter.isOpen() || admission.permissions().isEmpty();
        if (!open && isForAll(request)) {
            further.doFilter(request, response);
        } else if (open
                || authenticationFilter.admit(
                        request, response, admission.permissions().get().apply(request))) {
            admission.attachTo(request);
            further.doFilter(request, response);
        }
    }

    /** Decides who answers a request. */
    private Admission decide(HttpServletRequest request) {
        List<Mirror> mirrors =
                ParsedRequest.of(request).requestPath() instanceof RequestPath.OfResource path
                        ? directory.get().of(path.resource())
                        : List.of();
        return handlers.get().stream()
                .flatMap(one -> one.decide(request, !mirrors.isEmpty()).stream())
                .findFirst()
                .orElseGet(() -> Admission.ofMirrors(mirrors, request));
    }

    private static boolean isForAll(HttpServletRequest request) {
        return HealthEndpoints.areAskedFor(request) || ManagementFilter.hasPassed(request);
    }

    private Optional<Reply> refusal(HttpServletRequest request) {
        if (requests.isClosed() && !HealthEndpoints.areAskedFor(request)) {
            return Optional.of(RequestTracker.shuttingDown());
        }
        if (ParsedRequest.of(request).path().isEmpty() || !isToken(request.getMethod())) {
            return Optional.of(Reply.BAD_REQUEST);
        }
        boolean preflight =
                request.getMethod().equals("OPTIONS") && !originGuard.effects().getAsBoolean();
        return request.getMethod().equals("TRACE") || preflight
                ? Optional.of(Reply.of(StatusErrors.methodNotAllowed()).with("Allow", "GET"))
                : originGuard.refusal(request).map(Reply::of);
    }

    /** Jetty does not check all characters of a method. */
    private static boolean isToken(String method) {
        return method.equals("GET") || TOKEN.matcher(method).matches();
    }
}
