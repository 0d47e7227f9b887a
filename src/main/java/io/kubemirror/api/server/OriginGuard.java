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
 * Keeps web pages of strangers away from what needs no credentials: those that reach it by a name
 * of their own, which could read every answer, and those that ask across sites, which could read
 * none but make kubemirror work. Permission to read across origins is given to nobody, as no answer
 * has a header of CORS.
 *
 * <p>Clients that are no browsers send no {@code Sec-Fetch-Site} and as {@code CredentialSource},
 * if they send any, kubemirror's own (list-watch.md#ws-3).
 *
 * @param hosts the names by which kubemirror may be asked; asked for not before the first request
 */
public record OriginGuard(Supplier<Hosts> hosts) {

    /** What a request is to be answered with if a stranger's page has sent it. */
    Optional<Status> refusal(HttpServletRequest request) {
        List<String> named = all(request, "Host");
        // Only programs leave it out, as HTTP/1.0 and HTTP/2 let them.
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

    /** All fields of a name, since one that is allowed must not hide another. */
    private static List<String> all(HttpServletRequest request, String header) {
        return Collections.list(request.getHeaders(header));
    }

    /** Pages of this machine's other ports are no strangers; those without an origin are. */
    private boolean isOurs(String origin) {
        try {
            String authority = URI.create(origin).getRawAuthority();
            return authority != null && hosts.get().include(authority);
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }
}
