package io.kubemirror.api.http;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;

import org.jspecify.annotations.Nullable;

/**
 * How much a request may ask for; more is refused in words that name the bound. All of them are far
 * beyond what clients send, and keep what a request costs in proportion to its size. The request
 * line and the headers together are bounded by the web server, see {@code JettySettings}.
 */
public final class RequestLimits {

    /** The most parameters that a query may have. */
    static final int PARAMETERS = 1_000;

    /** The most characters that a selector may have. */
    static final int SELECTOR = 128 * 1024;

    /** The most requirements that a selector may have. */
    static final int REQUIREMENTS = 1_000;

    private RequestLimits() {}

    /**
     * Checks a query.
     *
     * @param raw the query as it was sent, null for none
     * @throws Rejection if it has too many parameters
     */
    public static void checkQuery(@Nullable String raw) throws Rejection {
        if (raw != null && raw.chars().filter(c -> c == '&').count() >= PARAMETERS) {
            throw beyond("the query has more than " + PARAMETERS + " parameters");
        }
    }

    /**
     * Checks the text of a selector, before it is read.
     *
     * @throws Rejection if it is too long
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
     * @throws Rejection if it has too many requirements
     */
    static LabelSelector check(LabelSelector selector) throws Rejection {
        checkRequirements("labelSelector", selector.size());
        return selector;
    }

    /**
     * Checks a field selector.
     *
     * @throws Rejection if it has too many requirements
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
