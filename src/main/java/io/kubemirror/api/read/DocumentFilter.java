package io.kubemirror.api.read;

import module java.base;

/**
 * Removes from documents of the API server what the mirrors of a resource hide of its objects
 * (list-watch.md#ca-4c).
 *
 * <p>Safe for use by any thread.
 */
public interface DocumentFilter {

    /**
     * Returns whether more than metadata is hidden. The filter then knows objects in the mirrored
     * version only: other kinds and versions have the same values elsewhere.
     */
    boolean hidesContent();

    /**
     * Returns an object or a list of objects without what is hidden, and a Status as it is.
     *
     * @return empty if the document is none of these
     */
    Optional<byte[]> shown(byte[] document);

    /**
     * Returns a Status of a request that has failed without messages about hidden members, which
     * repeat their values.
     *
     * @return empty if the document is not a Status
     */
    Optional<byte[]> refusal(byte[] document);
}
