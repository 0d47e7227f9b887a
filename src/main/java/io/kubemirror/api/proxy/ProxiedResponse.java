package io.kubemirror.api.proxy;

import io.kubemirror.api.http.Reply;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.ForwardResponse;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** The response of the API server to a proxied read. */
sealed interface ProxiedResponse {

    /** Releases one share of the response. Each sharer calls this method once. */
    default void release() {
        switch (this) {
            case Whole whole -> whole.lease.release();
            case Part part -> part.lease.release();
            case Failed _ -> {}
        }
    }

    /**
     * Acquired memory, which is released when the last sharer has released its share.
     *
     * @param bytes the size of the memory
     * @param shares the number of sharers, at least one
     */
    record Lease(MemoryBudget budget, long bytes, AtomicInteger shares) {

        private void release() {
            if (shares.decrementAndGet() == 0) {
                budget.release(bytes);
            }
        }
    }

    /**
     * A complete response, for any number of clients.
     *
     * @param reply the response
     * @param revision the revision of the object or the list in it, empty if there is none
     * @param lease the memory of the response
     */
    record Whole(Reply reply, Optional<Revision> revision, Lease lease)
            implements ProxiedResponse {}

    /**
     * The beginning of a response that is too large to be kept, for one client.
     *
     * @param answer the head of the response
     * @param body the complete body, most of which has not arrived yet
     * @param lease the memory of the beginning
     */
    record Part(ForwardResponse answer, InputStream body, Lease lease) implements ProxiedResponse {

        /** Closes the body without reading the rest of it. */
        void discard() {
            try {
                answer.close();
            } catch (IOException gone) {
                // The response is not needed anymore.
            }
        }
    }

    /**
     * The server did not respond.
     *
     * @param failure the cause
     */
    record Failed(Failure failure) implements ProxiedResponse {}
}
