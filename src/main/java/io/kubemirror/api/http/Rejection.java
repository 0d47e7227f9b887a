package io.kubemirror.api.http;

import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Status;

/**
 * Thrown if a request is answered with an error.
 *
 * <p>The first failing check of list-watch.md#order-of-checks throws it, and one place sends it, so
 * the code reads in the order of the checks. It has no stack trace, because it does not report a
 * problem of this program.
 */
public final class Rejection extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Reply reply;
    private final boolean beyondMirror;

    /** Creates a rejection with a Status. */
    public Rejection(Status status) {
        this(Reply.of(status), status.message(), false);
    }

    /** Creates a rejection with any other response. */
    public Rejection(Reply reply) {
        this(reply, Integer.toString(reply.code()), false);
    }

    private Rejection(Reply reply, String message, boolean beyondMirror) {
        super(message, null, false, false);
        this.reply = reply;
        this.beyondMirror = beyondMirror;
    }

    /** Returns a rejection of a request for more than what is mirrored. */
    public static Rejection beyondMirror(Status status) {
        return new Rejection(Reply.of(status), status.message(), true);
    }

    /** Whether the API server could answer the request, which is for more than what is mirrored. */
    public boolean isBeyondMirror() {
        return beyondMirror;
    }

    /**
     * Returns a rejection for an unknown path below a group. For a built-in group the API server
     * responds with a Status, for other groups with plain text (list-watch.md#errors).
     *
     * @param group the group, empty for core
     */
    public static Rejection absent(String group) {
        return ResourceType.isBuiltIn(group)
                ? new Rejection(StatusErrors.noSuchResource())
                : new Rejection(Reply.NOT_A_PAGE);
    }

    /** Returns a rejection of a malformed request (list-watch.md#errors). */
    public static Rejection badRequest(String message) {
        return new Rejection(StatusErrors.badRequest(message));
    }

    /** Returns the response. */
    public Reply reply() {
        return reply;
    }
}
