package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.Status;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that browsers send for web pages of other origins to endpoints that need no
 * credentials. A page that reaches kubemirror under a host name of its own could read every
 * response (DNS rebinding). A cross-site page could not read responses but could cause load. No
 * response has CORS headers, so cross-origin reads are never permitted.
 *
 * <p>Browsers let a page read from a WebSocket of any origin, and present client certificates to
 * it. So the page of a WebSocket must come from the very origin that its request is addressed to,
 * or from a host that an operator has added, whatever names are accepted otherwise.
 *
 * <p>Clients that are not browsers send no {@code Sec-Fetch-Site} header, and either no {@code
 * Origin} header or kubemirror's own origin (list-watch.md#ws-3).
 *
 * <p>If requests are passed on, no web page may send one that can have an effect, not even a page
 * of the same origin: kubemirror has none that does, but a pod whose pages the API server relays
 * would. What an operator has added makes no exception. Rejected: checking the content type, or
 * requiring a header, because unmodified clients do not send them reliably.
 *
 * @param hosts the accepted host names; not read before the first request
 * @param effects whether requests can have effects, because they are passed on; not read before the
 *     first request
 */
public record OriginGuard(Supplier<Hosts> hosts, BooleanSupplier effects) {

    private static final String SITE = "Sec-Fetch-Site";
    private static final Set<String> SAFE = Set.of("GET", "HEAD");

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
        boolean upgrade = request.getHeader("Upgrade") != null;
        if (effects.getAsBoolean() && !isRead(request, upgrade)) {
            return isOfPage(request, upgrade, asked)
                    ? Optional.of(StatusErrors.foreignPage())
                    : Optional.empty();
        }
        boolean crossSite = all(request, SITE).contains("cross-site");
        boolean ours =
                all(request, "Origin").stream()
                        .allMatch(origin -> isOurs(origin, upgrade ? asked : List.of()));
        return crossSite || !ours ? Optional.of(StatusErrors.foreignPage()) : Optional.empty();
    }

    /**
     * Whether a request cannot have an effect on any server. A get of a subresource can, such as
     * one that the API server relays to a pod.
     */
    private static boolean isRead(HttpServletRequest request, boolean upgrade) {
        ParsedRequest parsed = ParsedRequest.of(request);
        return SAFE.contains(request.getMethod())
                && switch (parsed.requestPath()) {
                    case RequestPath.OfResource resource ->
                            !upgrade || resource.isWatch(parsed.query());
                    case RequestPath.VersionPath _,
                            RequestPath.Discovery _,
                            RequestPath.Extension _ ->
                            !upgrade;
                    case RequestPath.Part _,
                            RequestPath.Unserved _,
                            RequestPath.Elsewhere _,
                            RequestPath.Malformed _ ->
                            false;
                };
    }

    /**
     * Whether any web page has sent the request. A person who enters an address may, which only
     * gets it. Some WebSocket clients that are not browsers name the server as their origin.
     */
    private static boolean isOfPage(
            HttpServletRequest request, boolean upgrade, List<String> servers) {
        boolean entered = !upgrade && SAFE.contains(request.getMethod());
        return !all(request, SITE).stream().allMatch(site -> entered && site.equals("none"))
                || !all(request, "Origin").stream().allMatch(origin -> isFrom(origin, servers));
    }

    private static boolean isFrom(String origin, List<String> servers) {
        try {
            URI page = URI.create(origin);
            return servers.stream().allMatch(server -> isSame(page, server));
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    /** Returns all values of a header, because an allowed value must not hide another one. */
    private static List<String> all(HttpServletRequest request, String header) {
        return Collections.list(request.getHeaders(header));
    }

    /**
     * Accepts pages from other ports of this host. Refuses opaque origins, which have no authority.
     *
     * @param required the authorities that the page must have itself unless an operator added its
     *     host
     */
    private boolean isOurs(String origin, List<String> required) {
        try {
            URI page = URI.create(origin);
            String authority = page.getRawAuthority();
            return authority != null
                    && hosts.get().include(authority)
                    && (hosts.get().isAdded(authority)
                            || required.stream().allMatch(server -> isSame(page, server)));
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    private static boolean isSame(URI page, String authority) {
        URI server = URI.create(page.getScheme() + "://" + authority);
        return page.getHost() != null
                && page.getHost().equalsIgnoreCase(server.getHost())
                && port(page) == port(server);
    }

    private static int port(URI uri) {
        int standard = "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
        return uri.getPort() < 0 ? standard : uri.getPort();
    }

    /**
     * The host names that kubemirror accepts in the {@code Host} header of a request.
     *
     * <p>A web page can point its own host name at 127.0.0.1 and then read responses as if they
     * came from its own site (DNS rebinding). Only the host name distinguishes such a request from
     * others, so a server without authentication must accept only names that an attacker cannot
     * register.
     *
     * @param reach determines which names are always accepted
     * @param further names that an operator has added: a full name, {@code *.} followed by a
     *     suffix, or {@code *} for all names
     */
    public record Hosts(Reach reach, List<String> further) {

        /**
         * Specifies from where kubemirror can be reached, and thus which names are always accepted.
         */
        public enum Reach {
            /**
             * Reachable from the same machine or pod. Accepts {@code localhost} and loopback
             * addresses.
             */
            LOOPBACK,
            /**
             * Reachable from the network. Accepts addresses, names without a dot, and names of
             * Services, {@code *.svc} and {@code *.cluster.local}. None of them can be registered
             * with a registrar. The short form {@code service.namespace} can, if the namespace has
             * the name of a top-level domain, so it is not accepted.
             */
            NETWORK,
            /** Accepts all names, because credentials or certificates authenticate the clients. */
            ANYWHERE
        }

        /** Copies the names in lower case. */
        public Hosts {
            further = further.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
        }

        /**
         * Returns whether a name is accepted.
         *
         * @param authority a host with an optional port, as in the {@code Host} header
         */
        public boolean include(String authority) {
            return isOurs(host(authority)) || isAdded(authority);
        }

        /**
         * Returns whether an operator has added a name.
         *
         * @param authority a host with an optional port
         */
        public boolean isAdded(String authority) {
            String host = host(authority);
            return further.stream().anyMatch(pattern -> matches(pattern, host));
        }

        private boolean isOurs(String host) {
            return switch (reach) {
                case LOOPBACK -> isLoopback(host);
                case NETWORK ->
                        isLoopback(host)
                                || address(host) != null
                                || (!host.isEmpty() && host.indexOf('.') < 0)
                                || host.endsWith(".svc")
                                || host.endsWith(".cluster.local");
                case ANYWHERE -> true;
            };
        }

        private static boolean isLoopback(String host) {
            InetAddress address = address(host);
            return host.equals("localhost") || (address != null && address.isLoopbackAddress());
        }

        /**
         * Parses a host that is a literal address. Names are recognized cheaply, since every
         * request has one.
         */
        private static @Nullable InetAddress address(String host) {
            boolean written =
                    !host.isEmpty()
                            && (Character.isDigit(host.charAt(0)) || host.indexOf(':') >= 0);
            if (!written) {
                return null;
            }
            try {
                return InetAddress.ofLiteral(host);
            } catch (IllegalArgumentException name) {
                return null;
            }
        }

        private static boolean matches(String pattern, String host) {
            return pattern.startsWith("*")
                    ? host.endsWith(pattern.substring(1))
                    : host.equals(pattern);
        }

        /**
         * Returns the host of an authority in lower case, without port, brackets, and trailing dot.
         */
        private static String host(String authority) {
            int colon = authority.lastIndexOf(':');
            boolean port = colon > authority.lastIndexOf(']');
            String host = port ? authority.substring(0, colon) : authority;
            String bare =
                    host.startsWith("[") && host.endsWith("]")
                            ? host.substring(1, host.length() - 1)
                            : host;
            String name = bare.endsWith(".") ? bare.substring(0, bare.length() - 1) : bare;
            return name.toLowerCase(Locale.ROOT);
        }
    }
}
