package io.kubemirror.api.http;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;

import org.jspecify.annotations.Nullable;

/**
 * Limits of request parameters. Requests that exceed one get an error that names the limit. All
 * limits are far beyond what clients send, and keep the cost of a request proportional to its size.
 * The web server limits the request line and headers, see {@code JettySettings}.
 */
public final class RequestLimits {

    /** The maximum number of parameters in a query. */
    static final int PARAMETERS = 1_000;

    /** The maximum number of characters in a selector. */
    static final int SELECTOR = 128 * 1024;

    /** The maximum number of requirements in a selector. */
    static final int REQUIREMENTS = 1_000;

    private RequestLimits() {}

    /**
     * Checks a query.
     *
     * @param raw the query as it was sent, null for none
     * @throws Rejection if the query has too many parameters
     */
    public static void checkQuery(@Nullable String raw) throws Rejection {
        if (raw != null && raw.chars().filter(c -> c == '&').count() >= PARAMETERS) {
            throw beyond("the query has more than " + PARAMETERS + " parameters");
        }
    }

    /**
     * Checks the text of a selector before it is parsed.
     *
     * @throws Rejection if the text is too long
     */
    static String checkSelector(String name, String text) throws Rejection {
        if (text.length() > SELECTOR) {
            throw beyond(name + " is longer than " + SELECTOR + " characters");
        }
        return text;
    }

    /**
     * Checks a label selector.
     *
     * @throws Rejection if the selector has too many requirements
     */
    static LabelSelector check(LabelSelector selector) throws Rejection {
        checkRequirements("labelSelector", selector.size());
        return selector;
    }

    /**
     * Checks a field selector.
     *
     * @throws Rejection if the selector has too many requirements
     */
    static FieldSelector check(FieldSelector selector) throws Rejection {
        checkRequirements("fieldSelector", selector.size());
        return selector;
    }

    private static void checkRequirements(String name, int count) throws Rejection {
        if (count > REQUIREMENTS) {
            throw beyond(name + " has more than " + REQUIREMENTS + " requirements");
        }
    }

    private static Rejection beyond(String message) {
        return new Rejection(StatusErrors.badRequest(message));
    }
}
