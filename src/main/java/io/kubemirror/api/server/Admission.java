package io.kubemirror.api.server;

import io.kubemirror.api.server.RequestHandler.Handling;
import io.kubemirror.mirror.Mirror;

import jakarta.servlet.http.HttpServletRequest;

import java.util.List;
import java.util.Optional;

/**
 * That a request may be answered, and by whom. Decided once for each request, and attached to it:
 * discovery and reloads change what is mirrored while a request is on its way.
 *
 * <p>Only this package makes and attaches one, and nothing else can ask the handlers. So no mirror
 * is read for a client whose credentials were not checked, and no second decision contradicts the
 * first.
 */
public final class Admission {

    private static final String ATTRIBUTE = Admission.class.getName();

    private final Optional<Handling> handling;
    private final List<Mirror> mirrors;

    /**
     * Creates an admission.
     *
     * @param handling answers the request; empty if mirrors do
     * @param mirrors those of the resource in the path
     */
    Admission(Optional<Handling> handling, List<Mirror> mirrors) {
        this.handling = handling;
        this.mirrors = mirrors;
    }

    /** Returns what answers instead of the mirrors, empty if mirrors answer. */
    public Optional<Handling> handling() {
        return handling;
    }

    /** Returns the mirrors of the resource in the path when it was decided who answers. */
    public List<Mirror> mirrors() {
        return mirrors;
    }

    void attachTo(HttpServletRequest request) {
        request.setAttribute(ATTRIBUTE, this);
    }

    /**
     * Takes the admission from a request, which lives as long as a watch; empty for pages that are
     * available to everyone.
     */
    public static Optional<Admission> take(HttpServletRequest request) {
        Object attached = request.getAttribute(ATTRIBUTE);
        request.removeAttribute(ATTRIBUTE);
        return attached instanceof Admission admission ? Optional.of(admission) : Optional.empty();
    }
}
