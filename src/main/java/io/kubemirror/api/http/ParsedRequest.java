package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.api.http.Representation.Accept;
import io.kubemirror.api.http.Representation.Accept.MediaRange;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

/**
 * A request, parsed once for all filters and handlers. Authorization and routing read the same
 * decoded path by different rules, as in the API server.
 *
 * @param path the decoded path, empty if an escape is malformed (list-watch.md#pa-19c)
 * @param requestPath what the path names
 * @param accept the accepted media types
 */
public record ParsedRequest(
        @Nullable String userAgent,
        Optional<String> path,
        RequestPath requestPath,
        Query query,
        Accept accept) {

    static final String ATTRIBUTE = ParsedRequest.class.getName();
    private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "True", "TRUE");

    /** Returns the parsed form of a request, which is attached to it. */
    public static ParsedRequest of(HttpServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof ParsedRequest known) {
            return known;
        }
        Optional<String> path = Query.decoded(request.getRequestURI());
        ParsedRequest parsed =
                new ParsedRequest(
                        request.getHeader("User-Agent"),
                        path,
                        RequestPath.parse(path),
                        Query.parse(request.getQueryString()),
                        Accept.parse(request.getHeader("Accept")));
        request.setAttribute(ATTRIBUTE, parsed);
        return parsed;
    }

    /**
     * Whether a document is indented (list-watch.md#ne-12): if the client requests it, and for
     * programs whose output people read.
     *
     * @param clause the clause of {@code Accept} that negotiated the document
     */
    public boolean isIndented(MediaRange clause) {
        return clause.parameter("pretty").equals("1")
                || query.get("pretty")
                        .filter(Predicate.not(String::isEmpty))
                        .map(TRUE::contains)
                        .orElseGet(this::isForHumans);
    }

    /**
     * Whether an error is indented: as other documents are, and if the client does not accept the
     * media type of errors (list-watch.md#st-2, #st-3).
     */
    boolean isErrorIndented() {
        return accept.first(Representation::isPlain).map(this::isIndented).orElse(true);
    }

    private boolean isForHumans() {
        return userAgent != null
                && Stream.of("curl", "Wget", "Mozilla/5.0").anyMatch(userAgent::startsWith);
    }
}
