package io.kubemirror.feature.forward;

import static java.lang.String.CASE_INSENSITIVE_ORDER;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toCollection;

import module java.base;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Determines which headers of requests and responses are passed on (pass-through.md#headers).
 *
 * <p>Names are compared without regard to case.
 */
final class ForwardedHeaders {

    private static final String SUBPROTOCOLS = "Sec-WebSocket-Protocol";

    /** How WebSocket clients that cannot set headers, such as browsers, send a token. */
    private static final String TOKEN_PROTOCOL = "base64url.bearer.authorization.k8s.io.";

    /** Headers that concern one connection (RFC 9110, 7.6.1). */
    private static final Set<String> HOP_BY_HOP =
            names(
                    "Connection",
                    "HTTP2-Settings",
                    "Keep-Alive",
                    "Proxy-Authenticate",
                    "Proxy-Authorization",
                    "Proxy-Connection",
                    "TE",
                    "Trailer",
                    "Transfer-Encoding",
                    "Upgrade");

    /** Headers of requests that are set by this process, or that only pages of browsers send. */
    private static final Set<String> REPLACED =
            names("Content-Length", "Cookie", "Host", "X-Forwarded-Host", "X-Forwarded-Proto");

    /** Headers by which a front proxy names a user; clients may not. */
    private static final String REMOTE = "X-Remote-";

    private static final String IMPERSONATE = "Impersonate-";

    private ForwardedHeaders() {}

    private static Set<String> names(String... names) {
        return Stream.of(names).collect(toCollection(() -> new TreeSet<>(CASE_INSENSITIVE_ORDER)));
    }

    /**
     * Returns the headers to send to the server.
     *
     * @param own whether the request is sent with the identity of this process, so that the
     *     client's credentials are not passed on
     */
    static Map<String, List<String>> ofRequest(HttpServletRequest request, boolean own) {
        Map<String, List<String>> headers = new TreeMap<>(CASE_INSENSITIVE_ORDER);
        for (String name : Collections.list(request.getHeaderNames())) {
            if (!REPLACED.contains(name) && !startsWith(name, REMOTE)) {
                headers.put(name, Collections.list(request.getHeaders(name)));
            }
        }
        removeHopByHop(headers);
        if (own) {
            headers.remove("Authorization");
            headers.computeIfPresent(SUBPROTOCOLS, (_, values) -> withoutTokens(values));
        }
        String client = request.getRemoteAddr();
        if (client != null && !client.isEmpty()) {
            headers.merge("X-Forwarded-For", List.of(client), ForwardedHeaders::joined);
        }
        headers.put("X-Forwarded-Proto", List.of(request.getScheme()));
        String host = request.getHeader("Host");
        if (host != null) {
            headers.put("X-Forwarded-Host", List.of(host));
        }
        return headers;
    }

    /**
     * Whether servers may disagree about the identity that a request names: it has two credentials,
     * or {@code Connection} names a header that decides about the identity, so that removing it
     * would change what the request means.
     */
    static boolean areAmbiguous(HttpServletRequest request) {
        return Collections.list(request.getHeaders("Authorization")).size() > 1
                || Collections.list(request.getHeaders("Connection")).stream()
                        .flatMap(ForwardedHeaders::tokens)
                        .anyMatch(
                                name ->
                                        startsWith(name, IMPERSONATE)
                                                || name.equalsIgnoreCase("Authorization"));
    }

    /** Whether the headers of a request identify its client to the API server. */
    static boolean areIdentifying(Map<String, List<String>> headers) {
        return headers.getOrDefault("Authorization", List.of()).stream()
                        .anyMatch(value -> !value.isBlank())
                || headers.getOrDefault(SUBPROTOCOLS, List.of()).stream()
                        .flatMap(ForwardedHeaders::tokens)
                        .anyMatch(protocol -> protocol.startsWith(TOKEN_PROTOCOL));
    }

    /** Returns the headers to send to the client. */
    static Map<String, List<String>> ofResponse(Map<String, List<String>> sent) {
        Map<String, List<String>> headers = new TreeMap<>(CASE_INSENSITIVE_ORDER);
        headers.putAll(sent);
        removeHopByHop(headers);
        headers.remove("Content-Length");
        headers.remove("Set-Cookie");
        return headers;
    }

    /** Removes the hop-by-hop headers, including those that {@code Connection} names. */
    private static void removeHopByHop(Map<String, List<String>> headers) {
        headers.getOrDefault("Connection", List.of()).stream()
                .flatMap(ForwardedHeaders::tokens)
                .toList()
                .forEach(headers::remove);
        headers.keySet().removeIf(HOP_BY_HOP::contains);
    }

    /** Returns null if no protocol is left. */
    @SuppressWarnings("NullAway") // A remapping function may return null.
    private static List<String> withoutTokens(List<String> values) {
        String rest =
                values.stream()
                        .flatMap(ForwardedHeaders::tokens)
                        .filter(protocol -> !protocol.startsWith(TOKEN_PROTOCOL))
                        .collect(joining(", "));
        return rest.isEmpty() ? null : List.of(rest);
    }

    /** Returns the members of a comma-separated list. */
    static Stream<String> tokens(String value) {
        return Stream.of(value.split(",", -1)).map(String::strip).filter(text -> !text.isEmpty());
    }

    private static List<String> joined(List<String> known, List<String> added) {
        return List.of(String.join(", ", known) + ", " + String.join(", ", added));
    }

    private static boolean startsWith(String name, String prefix) {
        return name.regionMatches(true, 0, prefix, 0, prefix.length());
    }
}
