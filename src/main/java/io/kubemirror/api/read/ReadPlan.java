package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Revision;

/**
 * Who answers a get or a list of a mirrored resource, decided at one place for each request
 * (list-watch.md#freshness).
 */
public sealed interface ReadPlan {

    /**
     * A mirror answers.
     *
     * @param min a revision that the answer must not be before, unless the request names a state; 0
     *     for any
     * @param verified whether it has reached the revision that the API server had when the request
     *     arrived
     * @param otherwise what answers if the mirror has no state in time that shows what clients know
     */
    record FromMirror(Mirror mirror, Revision min, boolean verified, OtherAnswer otherwise)
            implements ReadPlan {}

    /**
     * Another server answers.
     *
     * @param memory the memory that the answer takes beyond that of a read, in bytes
     */
    record FromOther(int memory, OtherAnswer answer) implements ReadPlan {}

    /** An answer that is not read from a mirror. */
    @FunctionalInterface
    interface OtherAnswer {

        /** Nothing else answers. */
        OtherAnswer NONE =
                _ -> {
                    throw new Rejection(Reply.OVERDUE);
                };

        /**
         * Sends the answer.
         *
         * @throws Rejection if there is none
         * @throws IOException if the client has disconnected
         * @throws InterruptedException if the thread is interrupted while it waits
         */
        void send(Exchange exchange) throws Rejection, IOException, InterruptedException;
    }

    /**
     * Makes the plans. The bean of a feature replaces the default, by which only mirrors answer.
     */
    interface ReadPlanner {

        /**
         * Returns who answers a list.
         *
         * @param min a revision that the answer must not be before, 0 for any
         * @param allotted the maximum duration of the request
         * @throws Rejection if the request is invalid, or there is no answer
         * @throws InterruptedException if the thread is interrupted while it waits
         */
        ReadPlan plan(CollectionRequest wanted, Revision min, Duration allotted)
                throws Rejection, InterruptedException;

        /**
         * Returns who answers a get.
         *
         * @param item the object
         * @param min a revision that the answer must not be before, 0 for any
         * @throws Rejection if the request is invalid, or there is no answer
         * @throws InterruptedException if the thread is interrupted while it waits
         */
        ReadPlan plan(
                MirroredResource resource, RequestPath.Item item, Revision min, Exchange exchange)
                throws Rejection, InterruptedException;

        /**
         * Returns who answers reads and watches of a resource that its mirrors do not cover or
         * cannot render, empty for none: not if it would show what the mirrors hide.
         */
        default Optional<FromOther> beyond(RequestPath.Resource resource) {
            return Optional.empty();
        }
    }

    /** Only mirrors answer. */
    record MirrorsOnly() implements ReadPlanner {

        @Override
        public ReadPlan plan(CollectionRequest wanted, Revision min, Duration allotted) {
            return new FromMirror(wanted.mirror(), min, false, OtherAnswer.NONE);
        }

        @Override
        public ReadPlan plan(
                MirroredResource resource, RequestPath.Item item, Revision min, Exchange exchange)
                throws Rejection {
            return new FromMirror(resource.mirrorOf(item), min, false, OtherAnswer.NONE);
        }
    }
}
