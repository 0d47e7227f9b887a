package io.kubemirror.api.http;

import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Status;

/**
 * A request that is answered with an error instead of what it asks for.
 *
 * <p>Thrown by whichever check of list-watch.md#order-of-checks fails first and sent in one place,
 * so that the checks read in their order. It has no stack trace, as it says nothing about this
 * program.
 */
public final class Rejection extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Reply reply;

    /** A rejection with a Status. */
    public Rejection(Status status) {
        this(Reply.of(status));
    }

    /** A rejection with any other answer. */
    public Rejection(Reply reply) {
        super(Integer.toString(reply.code()), null, false, false);
        this.reply = reply;
    }

    /**
     * There is nothing at a path below a group: of a built-in group the API server says so in a
     * Status (list-watch.md#errors), of others in plain text (list-watch.md#errors).
     *
     * @param group the group, empty for core
     */
    public static Rejection absent(String group) {
        return ResourceType.isBuiltIn(group)
                ? new Rejection(StatusErrors.noSuchResource())
                : new Rejection(Reply.NOT_A_PAGE);
    }

    /** What to answer. */
    public Reply reply() {
        return reply;
    }
}
