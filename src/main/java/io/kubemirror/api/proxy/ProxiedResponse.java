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
    default void release() {}

    /** Memory that is released when the last sharer has released its share. */
    final class Lease {

        private final MemoryBudget budget;
        private final long bytes;
        private final AtomicInteger shares;

        /**
         * Creates a lease on memory that has already been acquired.
         *
         * @param bytes the size of the memory
         * @param shares the number of sharers, at least one
         */
        Lease(MemoryBudget budget, long bytes, int shares) {
            this.budget = budget;
            this.bytes = bytes;
            this.shares = new AtomicInteger(shares);
        }

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
    record Whole(Reply reply, Optional<Revision> revision, Lease lease) implements ProxiedResponse {

        @Override
        public void release() {
            lease.release();
        }
    }

    /**
     * The beginning of a response that is too large to be kept, for one client.
     *
     * @param answer the head of the response
     * @param body the complete body, most of which has not arrived yet
     * @param lease the memory of the beginning
     */
    record Part(ForwardResponse answer, InputStream body, Lease lease) implements ProxiedResponse {

        @Override
        public void release() {
            lease.release();
        }

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
