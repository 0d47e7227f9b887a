package io.kubemirror.feature.forward;

import io.kubemirror.api.read.KnownStates;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Revision;

import java.time.Duration;
import java.util.Optional;

/**
 * What clients know from answers of the API server that were forwarded to them.
 *
 * @param served the revisions of reads
 * @param writes the answered writes
 */
record ForwardedStates(ServedRevisions served, AnsweredWrites writes) implements KnownStates {

    @Override
    public Revision floor(Mirror mirror) {
        return served.floor(mirror);
    }

    @Override
    public Optional<Mirror.Position> await(Mirror mirror, Revision floor, Duration patience)
            throws InterruptedException {
        return writes.await(mirror, floor, patience);
    }
}
