package io.kubemirror.api.server;

import io.kubemirror.access.Hosts;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.Status;

import jakarta.servlet.http.HttpServletRequest;

import java.net.URI;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Refuses requests that browsers send for web pages of other origins to endpoints that need no
 * credentials. A page that reaches kubemirror under a host name of its own could read every
 * response (DNS rebinding). A cross-site page could not read responses but could cause load. No
 * response has CORS headers, so cross-origin reads are never permitted.
 *
 * <p>Browsers let a page read from a WebSocket of any origin. This check runs before the upgrade
 * and is the only protection of watches by WebSocket where no credentials are needed. It accepts
 * every origin if all host names are accepted (see {@link Hosts.Reach#ANYWHERE}).
 *
 * <p>Clients that are not browsers send no {@code Sec-Fetch-Site} header, and either no {@code
 * Origin} header or kubemirror's own origin (list-watch.md#ws-3).
 *
 * @param hosts the accepted host names; not read before the first request
 */
public record OriginGuard(Supplier<Hosts> hosts) {

    /** Returns the error response if a web page of another origin has sent the request. */
    Optional<Status> refusal(HttpServletRequest request) {
        List<String> named = all(request, "Host");
        // Only programs omit the header, which HTTP/1.0 and HTTP/2 permit.
        List<String> asked = named.isEmpty() ? List.of(request.getServerName()) : named;
        Optional<String> foreign =
                asked.stream().filter(host -> !hosts.get().include(host)).findFirst();
        if (foreign.isPresent()) {
            return foreign.map(StatusErrors::foreignHost);
        }
        boolean crossSite = all(request, "Sec-Fetch-Site").contains("cross-site");
        return crossSite || !all(request, "Origin").stream().allMatch(this::isOurs)
                ? Optional.of(StatusErrors.foreignPage())
                : Optional.empty();
    }

    /** Returns all values of a header, because an allowed value must not hide another one. */
    private static List<String> all(HttpServletRequest request, String header) {
        return Collections.list(request.getHeaders(header));
    }

    /**
     * Accepts pages from other ports of this host. Refuses opaque origins, which have no authority.
     */
    private boolean isOurs(String origin) {
        try {
            String authority = URI.create(origin).getRawAuthority();
            return authority != null && hosts.get().include(authority);
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }
}
