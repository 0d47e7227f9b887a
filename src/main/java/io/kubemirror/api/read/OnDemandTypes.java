package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.model.ResourceType;

/**
 * The types whose mirrors start with the first request for them (list-watch.md#on-demand).
 *
 * <p>Safe for use by any thread.
 */
public interface OnDemandTypes {

    /** No type is mirrored on demand. */
    OnDemandTypes NONE = new OnDemandTypes() {};

    /** Returns whether no type is configured on demand. */
    default boolean isEmpty() {
        return true;
    }

    /**
     * Records a request for a resource. Returns at once.
     *
     * @param watch whether it waits for the mirror
     * @return false if the resource may be one on demand that has no mirror at present, so that
     *     {@link #demand} is to be called
     */
    default boolean use(RequestPath.Resource resource, boolean watch) {
        return true;
    }

    /**
     * Returns whether a resource is served on demand, as far as is known without asking the API
     * server. A resource that is not known is looked for meanwhile. Returns at once.
     */
    default boolean serves(RequestPath.Resource resource) {
        return false;
    }

    /**
     * Creates the mirrors of a resource, unless it is not served on demand, or there are mirrors.
     * Asks the API server for the type and for permissions, so it may block.
     *
     * @param watch whether the request waits for the mirror
     * @return false if the resource is not served on demand
     * @throws Rejection if the resource cannot be mirrored, or it is unknown whether it exists
     * @throws InterruptedException if the thread is interrupted
     */
    default boolean demand(RequestPath.Resource resource, boolean watch)
            throws Rejection, InterruptedException {
        return false;
    }

    /** Looks for a resource in the mirrors that exist. */
    @FunctionalInterface
    interface Lookup {

        /**
         * Returns the resource.
         *
         * @throws Rejection if it has no mirror
         */
        MirroredResource find() throws Rejection;
    }

    /**
     * Finds a resource, records a request for it, and creates its mirrors if it is served on demand
     * and has none. If they end before they are found, because another mirror needs their memory,
     * it creates them again.
     *
     * @param watch whether the request waits for the mirror
     * @throws Rejection if the resource has no mirror and cannot be mirrored
     * @throws InterruptedException if the thread is interrupted
     */
    default MirroredResource find(RequestPath.Resource resource, boolean watch, Lookup lookup)
            throws Rejection, InterruptedException {
        boolean mirrored = true;
        while (mirrored) {
            if (use(resource, watch)) {
                try {
                    return lookup.find();
                } catch (Rejection absent) {
                    // The mirrors may have ended between the two lookups.
                    if (use(resource, watch)) {
                        break;
                    }
                }
            }
            mirrored = demand(resource, watch);
        }
        return lookup.find();
    }

    /**
     * Records that the first request for a resource was answered, so that its mirrors may read the
     * API server, too.
     */
    default void answered(RequestPath.Resource resource) {}

    /**
     * Returns the types, whether or not they have mirrors, in the order of the API server. Asks it
     * if the last answer is older than a second, so it may block.
     */
    default List<ResourceType> types() {
        return List.of();
    }

    /** Returns whether {@link #types} are known. */
    default boolean isComplete() {
        return true;
    }
}
