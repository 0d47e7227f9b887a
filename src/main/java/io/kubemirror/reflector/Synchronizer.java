package io.kubemirror.reflector;

import io.kubemirror.mirror.Resync;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorState.SyncStart;

import org.jspecify.annotations.Nullable;

/**
 * Handles states that fetch the present state: begins and completes synchronizations, however the
 * objects arrive.
 */
abstract class Synchronizer extends StateHandler {

    Synchronizer(StateMachine machine) {
        super(machine);
    }

    /**
     * Records that the present state is requested.
     *
     * @return the revision to send, null for none
     */
    @Nullable Revision request(ReflectorState.Synchronizing sync) {
        reporter.enter(Phase.SYNCHRONIZING);
        lists.begin();
        return sync.requested(writer.mirror().revision());
    }

    /** Begins to collect the objects of the present state. */
    Resync collect() {
        reporter.fetching();
        return writer.resync();
    }

    /**
     * Makes the collected state the content, unless it is older than the mirror and was received
     * only once (list-watch.md#go-52): a lagging replica answers like a server that was restored
     * from a backup.
     *
     * @param revision the revision of the state
     * @param how how it was fetched
     * @return whether it has become the content
     */
    boolean complete(Resync resync, Revision revision, SyncStart from, TimedSpan how) {
        if (revision.isBefore(writer.mirror().revision()) && from != SyncStart.CONFIRMING) {
            return false;
        }
        counts.count(Counter.LISTS_COMPLETED);
        retryState.listed();
        reporter.showing();
        schema.listed();
        switch (resync.complete(revision)) {
            case Resync.Completion.First _ -> {}
            case Resync.Completion.Bridged _ -> counts.count(Counter.RESYNCS_BRIDGED);
            case Resync.Completion.Broken _ -> reporter.broken();
        }
        resyncRequest.answered();
        reporter.synced(how);
        return true;
    }

    /**
     * A state older than the mirror is accepted only if a second one confirms it
     * (list-watch.md#go-52).
     */
    ReflectorState implausible(
            ReflectorState state, ReflectorState.Synchronizing sync, Revision revision) {
        state.close();
        return failures.backOff(
                "the revision of the server went back from %s to %s; listing once more to confirm"
                        .formatted(writer.mirror().revision(), revision),
                sync.confirming());
    }
}
