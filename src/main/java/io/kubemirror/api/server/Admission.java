package io.kubemirror.api.server;

import jakarta.servlet.http.HttpServletRequest;

import java.util.Optional;

/**
 * That a request may be answered, and by whom. Decided once for each request, and attached to it:
 * discovery and reloads change what is mirrored while a request is on its way.
 *
 * <p>Only the filter of this package attaches one, so no mirror is read for a client whose
 * credentials were not checked.
 */
public final class Admission {

    private static final String ATTRIBUTE = Admission.class.getName();

    private final Optional<RequestHandler> handler;

    /**
     * Creates an admission.
     *
     * @param handler answers the request; empty if mirrors do
     */
    Admission(Optional<RequestHandler> handler) {
        this.handler = handler;
    }

    /** Returns what answers instead of the mirrors, empty if mirrors answer. */
    public Optional<RequestHandler> handler() {
        return handler;
    }

    void attachTo(HttpServletRequest request) {
        request.setAttribute(ATTRIBUTE, this);
    }

    /** Returns the admission of a request, empty for pages that are available to everyone. */
    public static Optional<Admission> of(HttpServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof Admission admission
                ? Optional.of(admission)
                : Optional.empty();
    }
}
