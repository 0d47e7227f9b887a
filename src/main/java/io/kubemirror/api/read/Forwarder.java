package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.mirror.Mirror;

/** Lets the API server answer reads. Safe for use by any thread. */
public interface Forwarder {

    /** Only mirrors answer. */
    Forwarder NONE = new Forwarder() {};

    /**
     * Returns the plan of a read that mirrors do not cover or cannot render, empty if it may not be
     * passed on.
     */
    default Optional<Plan.FromServer> passed() {
        return Optional.empty();
    }

    /**
     * Returns the plan of a list that its mirror cannot answer in time.
     *
     * @throws Rejection if the API server cannot answer it
     */
    default Plan.FromServer late(CollectionRequest wanted) throws Rejection {
        throw new Rejection(Reply.OVERDUE);
    }

    /**
     * Returns the plan of a get that its mirror cannot answer in time.
     *
     * @throws Rejection if the API server cannot answer it
     */
    default Plan.FromServer late(MirroredResource resource, RequestPath.Item item, Mirror mirror)
            throws Rejection {
        throw new Rejection(Reply.OVERDUE);
    }
}
