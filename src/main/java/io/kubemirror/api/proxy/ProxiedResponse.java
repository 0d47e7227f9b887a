package io.kubemirror.api.proxy;

import io.kubemirror.api.http.Reply;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.ForwardOutcome;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** What the API server has answered to a read that was handed on. */
sealed interface ProxiedResponse {

    /** One of those who share it has done with it; to be called once by each. */
    default void release() {}

    /** Memory that is returned when all who share something have done with it. */
    final class Lease {

        private final MemoryBudget budget;
        private final long bytes;
        private final AtomicInteger shares;

        /**
         * Memory that has been acquired already.
         *
         * @param bytes how much
         * @param shares how many share it, at least one
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
     * All of an answer, for as many clients as want it.
     *
     * @param reply the answer
     * @param revision the revision of the object or the list in it, empty if there is none
     * @param lease the memory that it takes
     */
    record Whole(Reply reply, Optional<Revision> revision, Lease lease) implements ProxiedResponse {

        @Override
        public void release() {
            lease.release();
        }
    }

    /**
     * The beginning of an answer that is too large to be kept, for one client.
     *
     * @param answer its header
     * @param body all of its body, whose rest is still to come
     * @param lease the memory that the beginning takes
     */
    record Part(ForwardOutcome.Answered answer, InputStream body, Lease lease)
            implements ProxiedResponse {

        @Override
        public void release() {
            lease.release();
        }

        /** Lets the server know that nobody reads on. */
        void discard() {
            try {
                answer.close();
            } catch (IOException gone) {
                // It is of no use any more.
            }
        }
    }

    /**
     * There is no answer.
     *
     * @param failure why
     */
    record Failed(Failure failure) implements ProxiedResponse {}
}
