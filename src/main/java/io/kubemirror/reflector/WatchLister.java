package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorState.FetchMethod;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;

import org.slf4j.event.Level;

/**
 * Handles {@link ReflectorState.Synchronizing} by the preferred method, and {@link
 * ReflectorState.Streaming}: fetches the present state as the initial events of a watch, or leaves
 * that to a list.
 */
final class WatchLister extends StateHandler {

    WatchLister(StateMachine machine) {
        super(machine);
    }

    ReflectorState begin(ReflectorState.Synchronizing sync) {
        Duration wait = machine.lists.untilNext();
        if (wait.isPositive()) {
            return new ReflectorState.BackingOff(wait, sync);
        }
        return machine.capabilities.streams() ? open(sync) : sync.byPages();
    }

    private ReflectorState open(ReflectorState.Synchronizing sync) {
        return switch (watch(
                sync.collection(), request(sync), /* initialEvents= */ true, /* ahead= */ false)) {
            case Result.Success(var stream) ->
                    new ReflectorState.Streaming(sync, stream, collect());
            case Result.Failed(Failure.Refused refused) -> refused(sync, refused);
            // A list would fail on the same connection. Only a failure that repeats falls back to a
            // list.
            case Result.Failed(Failure.Unreachable unreachable)
                    when unreachable.refused() || !machine.retryState.repeated() ->
                    machine.failures.watchFailed(unreachable, sync);
            case Result.Failed(var failure) -> fallBack(sync, failure);
        };
    }

    private ReflectorState refused(ReflectorState.Synchronizing sync, Failure.Refused refused) {
        if (FailureHandler.isExpired(refused) && sync.from() == SyncStart.CACHED) {
            return open(new ReflectorState.Synchronizing(sync.collection(), SyncStart.MOST_RECENT));
        }
        int code = refused.status().code();
        if (code == 429) {
            return machine.failures.watchFailed(refused, sync);
        } else if (code == 405) {
            machine.capabilities.watchRefused();
        } else if (code == 422) {
            machine.capabilities.streamRefused();
        }
        return fallBack(sync, refused);
    }

    /**
     * Falls back to a list at once, unless the configured strategy is a watch-list
     * (list-watch.md#up-25).
     */
    private ReflectorState fallBack(ReflectorState.Synchronizing sync, Failure failure) {
        if (machine.capabilities.lists()) {
            machine.counts.count(Counter.WATCHES_FAILED);
            return sync.byPages();
        }
        return machine.failures.watchFailed(failure, machine.failures.retry(sync, failure));
    }

    ReflectorState step(ReflectorState.Streaming state) {
        return switch (state.stream().next()) {
            case WatchFrame.Deleted(var object) -> {
                state.resync().remove(object.key());
                yield arrived(state);
            }
            case WatchFrame.ObjectEvent event -> {
                state.resync().add(event.object());
                yield arrived(state);
            }
            case WatchFrame.Bookmark(var revision, var initialEventsEnd) ->
                    initialEventsEnd ? completed(state, revision) : arrived(state);
            case WatchFrame.Foreign foreign -> {
                machine.reporter.skipped(foreign.reason());
                yield state;
            }
            case WatchFrame.End end -> ended(state, end);
        };
    }

    private ReflectorState ended(ReflectorState.Streaming state, WatchFrame.End end) {
        return switch (end) {
            case WatchFrame.Failed(var status) -> {
                state.close();
                yield refused(state.sync(), new Failure.Refused(status));
            }
            case WatchFrame.Untrackable(var reason) ->
                    abandoned(state, reason, /* hopeless= */ true);
            case WatchFrame.Broken(var reason, var kind) ->
                    kind == BrokenKind.SILENT
                            ? silent(state)
                            : abandoned(state, reason, machine.retryState.repeated());
            case WatchFrame.Ended _ ->
                    abandoned(
                            state,
                            "the watch ended before its initial events were complete",
                            machine.retryState.repeated());
        };
    }

    private ReflectorState arrived(ReflectorState.Streaming state) {
        machine.reporter.answered();
        return state;
    }

    private ReflectorState completed(ReflectorState.Streaming state, Revision revision) {
        ReflectorState.Synchronizing sync = state.sync();
        if (!complete(state.resync(), revision, sync.from(), TimedSpan.WATCH_LIST)) {
            return implausible(state, sync, revision);
        }
        machine.capabilities.streamed();
        return watching(sync.collection(), state.stream(), machine.reporter.now());
    }

    /**
     * Handles silence. Servers that do not support watch-lists are silent, and so are proxies that
     * buffer an unfinished response (list-watch.md#up-28). The next attempt would be silent too, so
     * this counts as a refusal.
     */
    private ReflectorState silent(ReflectorState.Streaming state) {
        if (!machine.capabilities.lists()) {
            return abandoned(
                    state,
                    "the initial events of the watch-list paused for too long",
                    /* hopeless= */ true);
        }
        state.close();
        machine.counts.count(Counter.WATCHES_FAILED);
        machine.capabilities.streamRefused();
        machine.reporter.log(
                Level.WARN, "silent", "the initial events paused for too long; listing instead");
        return state.sync().byPages();
    }

    /**
     * Drops what has arrived and tries the same again (list-watch.md#up-26), or lists because the
     * same would fail again (list-watch.md#up-25).
     */
    private ReflectorState abandoned(
            ReflectorState.Streaming state, String reason, boolean hopeless) {
        state.close();
        FetchMethod method =
                hopeless && machine.capabilities.lists()
                        ? FetchMethod.PAGES
                        : FetchMethod.PREFERRED;
        ReflectorState.Synchronizing sync = state.sync();
        return machine.failures.watchFailed(
                reason,
                new ReflectorState.Synchronizing(
                        sync.collection(), machine.failures.retry(sync.from()), method));
    }
}
