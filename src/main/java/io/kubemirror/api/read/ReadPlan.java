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

    /**
     * Only mirrors answer.
     *
     * @param revisionWait waits for mirrors that have started on demand
     */
    record MirrorsOnly(RevisionWait revisionWait) implements ReadPlanner {

        @Override
        public ReadPlan plan(CollectionRequest wanted, Revision min, Duration allotted)
                throws InterruptedException {
            return plan(wanted.mirror(), min, allotted);
        }

        @Override
        public ReadPlan plan(
                MirroredResource resource, RequestPath.Item item, Revision min, Exchange exchange)
                throws Rejection, InterruptedException {
            return plan(resource.mirrorOf(item), min, exchange.allotted());
        }

        private ReadPlan plan(Mirror mirror, Revision min, Duration allotted)
                throws InterruptedException {
            revisionWait.awaitStart(mirror, allotted);
            return new FromMirror(mirror, min, false, OtherAnswer.NONE);
        }
    }

    /**
     * What clients know of the objects of a mirror from elsewhere. No later answer shows them an
     * earlier state (list-watch.md#fr-4, #ry-1).
     */
    interface KnownStates {

        /** Returns the highest revision that clients have seen elsewhere, 0 for none. */
        Revision floor(Mirror mirror);

        /**
         * Returns whether only the request names a revision, which may not exist then. What clients
         * know from elsewhere exists.
         *
         * @param min another revision that the client knows, 0 for none
         */
        default boolean isNamedOnly(Revision revision, Mirror mirror, Revision min) {
            return !Revision.later(min, floor(mirror)).isAfter(revision);
        }

        /**
         * Waits until a mirror that has content shows what clients know, and has reached a
         * revision. Does not wait for a mirror that does not advance any more.
         *
         * @param floor the revision, 0 for any
         * @param patience the maximum time to wait
         * @return a state that shows it; empty if there is none in time
         * @throws InterruptedException if the thread is interrupted while it waits
         */
        Optional<Mirror.Position> await(Mirror mirror, Revision floor, Duration patience)
                throws InterruptedException;

        /**
         * Clients know nothing but the revisions that they name.
         *
         * @param revisionWait waits for these
         */
        record Named(RevisionWait revisionWait) implements KnownStates {

            @Override
            public Revision floor(Mirror mirror) {
                return Revision.ZERO;
            }

            @Override
            public Optional<Mirror.Position> await(Mirror mirror, Revision floor, Duration patience)
                    throws InterruptedException {
                boolean reached =
                        mirror.snapshot().isEmpty()
                                || revisionWait.isReached(mirror, floor, patience);
                return reached && !mirror.isRemoved() ? mirror.position() : Optional.empty();
            }
        }
    }
}
