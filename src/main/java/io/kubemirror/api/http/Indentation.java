package io.kubemirror.api.http;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Decides whether documents are indented: if the client requests it, and for programs whose output
 * people read.
 */
final class Indentation {

    private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "True", "TRUE");

    private Indentation() {}

    /**
     * Whether a document is indented (list-watch.md#ne-12).
     *
     * @param clause the clause of {@code Accept} that negotiated the document
     */
    static boolean ofDocument(HttpServletRequest request, MediaRange clause) {
        if (clause.parameter("pretty").equals("1")) {
            return true;
        }
        Optional<String> wish =
                Query.parse(request.getQueryString())
                        .get("pretty")
                        .filter(Predicate.not(String::isEmpty));
        return wish.map(TRUE::contains)
                .orElseGet(() -> isForHumans(request.getHeader("User-Agent")));
    }

    /**
     * Whether an error is indented: as other documents are, and if the client does not accept the
     * media type of errors (list-watch.md#st-2, #st-3).
     */
    static boolean ofError(HttpServletRequest request) {
        return Accept.parse(request.getHeader("Accept"))
                .first(Representation::isPlain)
                .map(clause -> ofDocument(request, clause))
                .orElse(true);
    }

    private static boolean isForHumans(@Nullable String program) {
        return program != null
                && Stream.of("curl", "Wget", "Mozilla/5.0").anyMatch(program::startsWith);
    }
}
