package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Resync;
import io.kubemirror.mirror.Resync.Completion;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.WatchStream;

import org.jspecify.annotations.Nullable;

/**
 * Handles states of a reflector. Begins and completes synchronizations, however the objects arrive.
 */
abstract class StateHandler {

    final StateMachine machine;

    StateHandler(StateMachine machine) {
        this.machine = machine;
    }

    /**
     * Returns the state for the stream of a watch that was accepted, or of a watch-list whose
     * initial events are complete (list-watch.md#up-27).
     */
    ReflectorState.Watching watching(
            ResourceCollection collection, WatchStream stream, Instant opened) {
        machine.reporter.watching();
        machine.resyncRequest.waitOn(stream);
        return new ReflectorState.Watching(collection, stream, opened, false);
    }

    /**
     * Records that the present state is requested.
     *
     * @return the revision to send, null for none
     */
    @Nullable Revision request(ReflectorState.Synchronizing sync) {
        machine.reporter.enter(Phase.SYNCHRONIZING);
        machine.lists.begin();
        return sync.requested(machine.writer.mirror().revision());
    }

    /** Begins to collect the objects of the present state. */
    Resync collect() {
        machine.reporter.fetching();
        return machine.writer.resync();
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
        if (revision.isBefore(machine.writer.mirror().revision()) && from != SyncStart.CONFIRMING) {
            return false;
        }
        machine.counts.count(Counter.LISTS_COMPLETED);
        machine.retryState.listed();
        machine.reporter.showing();
        machine.schema.listed();
        Completion completion = resync.complete(revision);
        switch (completion) {
            case FIRST -> {}
            case BRIDGED -> machine.counts.count(Counter.RESYNCS_BRIDGED);
            case BROKEN -> machine.reporter.broken();
        }
        machine.resyncRequest.answered();
        machine.reporter.synced(how);
        if (completion == Completion.FIRST) {
            reportUnmatched();
        }
        return true;
    }

    /** Warns of a namespace and of paths that may be misspelt. */
    private void reportUnmatched() {
        String namespace = machine.writer.mirror().scope().selection().namespace();
        Collection<KubeObject> objects =
                machine.writer.mirror().snapshot().map(Snapshot::objects).orElseGet(List::of);
        if (!objects.isEmpty()) {
            machine.settings.unmatched(objects).forEach(machine.reporter::unmatched);
        } else if (!namespace.isEmpty() && machine.requests.lacks(namespace)) {
            machine.reporter.unmatched(
                    "the namespace does not exist; create it, or correct namespaces in"
                            + " kubemirror.resources");
        }
    }

    /**
     * A state older than the mirror is accepted only if a second one confirms it
     * (list-watch.md#go-52).
     */
    ReflectorState implausible(
            ReflectorState state, ReflectorState.Synchronizing sync, Revision revision) {
        state.close();
        return machine.failures.backOff(
                "the revision of the server went back from %s to %s; listing once more to confirm"
                        .formatted(machine.writer.mirror().revision(), revision),
                sync.confirming());
    }
}
