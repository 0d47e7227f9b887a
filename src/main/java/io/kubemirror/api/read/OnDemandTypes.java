package io.kubemirror.api.read;

import io.kubemirror.api.http.RequestPath;

/**
 * The types whose mirrors start with the first request for them (list-watch.md#on-demand). No
 * method blocks.
 *
 * <p>Safe for use by any thread.
 */
public interface OnDemandTypes {

    /** No type is mirrored on demand. */
    OnDemandTypes NONE = new OnDemandTypes() {};

    /** What there is of a resource. */
    enum Presence {
        /** It is not on demand, or cannot be mirrored. */
        OTHER,
        /** It has no mirrors yet, or they are not complete. */
        PENDING,
        /** Its mirrors are complete. */
        READY
    }

    /** Records a request for a resource, and returns what there is of it. */
    default Presence use(RequestPath.Resource resource) {
        return Presence.OTHER;
    }

    /** Starts the mirrors of a resource, unless it has some or is not on demand. */
    default void demand(RequestPath.Resource resource) {}
}
