package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.api.http.Representation.Accept;
import io.kubemirror.api.http.Representation.Accept.MediaRange;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/**
 * The path, the query, and the accepted media types of a request. Each is parsed when it is first
 * needed, and once for all filters and handlers. Authorization and routing read the same decoded
 * path by different rules, as in the API server.
 */
public final class ParsedRequest {

    static final String ATTRIBUTE = ParsedRequest.class.getName();
    private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "True", "TRUE");

    private final @Nullable String userAgent;
    private final SingletonSupplier<Optional<String>> path;
    private final SingletonSupplier<RequestPath> requestPath;
    private final SingletonSupplier<Query> query;
    private final SingletonSupplier<Accept> accept;

    private ParsedRequest(HttpServletRequest request) {
        userAgent = request.getHeader("User-Agent");
        path = SingletonSupplier.of(() -> Query.decoded(request.getRequestURI()));
        requestPath = SingletonSupplier.of(() -> RequestPath.parse(path()));
        query = SingletonSupplier.of(() -> Query.parse(request.getQueryString()));
        accept = SingletonSupplier.of(() -> Accept.parse(request.getHeader("Accept")));
    }

    /** Returns the parsed form of a request, which is attached to it. */
    public static ParsedRequest of(HttpServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof ParsedRequest known) {
            return known;
        }
        ParsedRequest parsed = new ParsedRequest(request);
        request.setAttribute(ATTRIBUTE, parsed);
        return parsed;
    }

    /** Returns the decoded path, empty if an escape is malformed (list-watch.md#pa-19c). */
    public Optional<String> path() {
        return path.obtain();
    }

    /** Returns what the path names. */
    public RequestPath requestPath() {
        return requestPath.obtain();
    }

    public Query query() {
        return query.obtain();
    }

    /** Returns the accepted media types. */
    public Accept accept() {
        return accept.obtain();
    }

    /**
     * Whether a document is indented (list-watch.md#ne-12): if the client requests it, and for
     * programs whose output people read.
     *
     * @param clause the clause of {@code Accept} that negotiated the document
     */
    public boolean isIndented(MediaRange clause) {
        return clause.parameter("pretty").equals("1")
                || query().get("pretty")
                        .filter(Predicate.not(String::isEmpty))
                        .map(TRUE::contains)
                        .orElseGet(this::isForHumans);
    }

    /**
     * Whether an error is indented: as other documents are, and if the client does not accept the
     * media type of errors (list-watch.md#st-2, #st-3).
     */
    boolean isErrorIndented() {
        return accept().first(Representation::isPlain).map(this::isIndented).orElse(true);
    }

    private boolean isForHumans() {
        return userAgent != null
                && Stream.of("curl", "Wget", "Mozilla/5.0").anyMatch(userAgent::startsWith);
    }
}
