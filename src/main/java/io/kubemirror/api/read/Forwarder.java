package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ResourceType;

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
     * Returns the plan of a read that its mirror cannot answer in time.
     *
     * @param namespace the namespace of the list or object, empty for all or none
     * @param name the name of the object, empty for a list
     * @param exact whether the client wants the state at one revision
     * @throws Rejection if the API server cannot answer it
     */
    default Plan.FromServer late(
            Mirror mirror, ResourceType type, String namespace, String name, boolean exact)
            throws Rejection {
        throw new Rejection(Reply.OVERDUE);
    }
}
