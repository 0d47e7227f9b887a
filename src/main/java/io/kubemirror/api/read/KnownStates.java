package io.kubemirror.api.read;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Revision;

import java.time.Duration;
import java.util.Optional;

/**
 * What clients know of the objects of a mirror from elsewhere. No later answer shows them an
 * earlier state (list-watch.md#fr-4, #ry-1).
 */
public interface KnownStates {

    /** Returns the highest revision that clients have seen elsewhere, 0 for none. */
    Revision floor(Mirror mirror);

    /**
     * Waits until a mirror that has content shows what clients know, and has reached a revision.
     * Does not wait for a mirror that does not advance any more.
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
                    mirror.snapshot().isEmpty() || revisionWait.isReached(mirror, floor, patience);
            return reached && !mirror.isRemoved() ? mirror.position() : Optional.empty();
        }
    }
}
