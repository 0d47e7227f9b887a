package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Resync;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorSettings.WatchForm;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream;

import org.jspecify.annotations.Nullable;

/**
 * Handles states of a reflector. Begins and completes synchronizations, however the objects arrive.
 */
abstract class StateHandler {

    /**
     * A watch is dead if it is silent for this much longer than its timeout (list-watch.md#up-11).
     */
    private static final Duration SILENCE_MARGIN = Duration.ofSeconds(5);

    /**
     * The maximum pause of a watch-list before its initial events are complete, in case the server
     * does not support watch-lists (list-watch.md#up-28).
     */
    private static final Duration INITIAL_SILENCE = Duration.ofSeconds(30);

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

    /** Lists a page. */
    Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        return answered(machine.source.list(request, objects));
    }

    /**
     * Opens a watch, whose timeout is random, so that watches do not end together
     * (list-watch.md#up-9).
     *
     * @param initialEvents whether it begins with the present state
     * @param ahead whether its events wait until they are read
     */
    Result<WatchStream> watch(
            ResourceCollection collection,
            @Nullable Revision revision,
            boolean initialEvents,
            boolean ahead) {
        WatchForm form = machine.settings.watches();
        Duration drawn = form.timeout().draw(machine.environment.random());
        Duration timeout = Duration.ofSeconds(Math.max(1, drawn.toSeconds()));
        machine.watchEnd = machine.reporter.now().plus(timeout);
        return answered(
                machine.source.watch(
                        new WatchRequest(
                                collection,
                                revision,
                                initialEvents,
                                form.bookmarks(),
                                timeout,
                                timeout.plus(SILENCE_MARGIN),
                                INITIAL_SILENCE,
                                ahead)));
    }

    private <T> Result<T> answered(Result<T> result) {
        if (result instanceof Result.Success<T>) {
            machine.reporter.answered();
        }
        return result;
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
        switch (resync.complete(revision)) {
            case FIRST -> {}
            case BRIDGED -> machine.counts.count(Counter.RESYNCS_BRIDGED);
            case BROKEN -> machine.reporter.broken();
        }
        machine.resyncRequest.answered();
        machine.reporter.synced(how);
        return true;
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
