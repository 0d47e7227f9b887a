package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorState.FetchMethod;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream.UpstreamWatch;

import org.jspecify.annotations.Nullable;

/** The requests of a reflector: their parameters, and what their acceptance shows. */
final class UpstreamRequests {

    /**
     * A watch is dead if it is silent for this much longer than its timeout (list-watch.md#up-11).
     */
    private static final Duration SILENCE_MARGIN = Duration.ofSeconds(5);

    /** The API server sends a bookmark two seconds before it ends a watch. */
    private static final Duration BRIEF = Duration.ofSeconds(4);

    /** A server that keeps the timeout does not end a watch by so much earlier. */
    private static final Duration EARLY = Duration.ofSeconds(2);

    private final StateMachine machine;

    /** The time at which the server was asked to end the watch that was opened last. */
    private Instant end = Instant.MIN;

    UpstreamRequests(StateMachine machine) {
        this.machine = machine;
    }

    /**
     * Returns the request for the first page of a list. A limit would turn "not older than" into
     * "exactly", which is soon expired (list-watch.md#up-4).
     */
    ListRequest firstPage(ReflectorState.Synchronizing sync, @Nullable Revision revision) {
        boolean paged = sync.method() == FetchMethod.PAGES && revision == null;
        return new ListRequest(
                sync.collection(), revision, paged ? machine.settings.pageSize() : 0, null);
    }

    /** Lists a page. */
    Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        Result<ListMeta> result = machine.source.list(request, objects);
        if (result instanceof Result.Success<ListMeta>) {
            machine.reporter.accepted(Verb.LIST);
        }
        return result;
    }

    /**
     * Requests the most recent revision of a collection, by a list of at most one object and
     * without selectors, for which an old server would have to search.
     *
     * @param first receives the object
     */
    Result<ListMeta> newest(ResourceCollection collection, Consumer<KubeObject> first) {
        Selection all = Selection.everything();
        Selection unselected =
                new Selection(collection.selection().namespace(), all.labels(), all.fields());
        ResourceCollection whole =
                new ResourceCollection(
                        collection.type(), unselected, collection.shape(), collection.extent());
        return list(new ListRequest(whole, null, 1, null), first);
    }

    /** Opens a watch after a revision. */
    Result<UpstreamWatch> watch(ResourceCollection collection, Revision revision) {
        machine.pacer.watch();
        return open(collection, revision, /* initialEvents= */ false, randomTimeout());
    }

    /**
     * Opens a watch after a revision that brings a bookmark within seconds. A server sends one
     * before it ends a watch, and otherwise about every minute (list-watch.md#bm-4).
     */
    Result<UpstreamWatch> briefWatch(ResourceCollection collection, Revision revision) {
        machine.pacer.watch();
        Duration timeout = machine.settings.watches().bookmarks() ? BRIEF : randomTimeout();
        return open(collection, revision, /* initialEvents= */ false, timeout);
    }

    /** Opens a watch that begins with the present state. */
    Result<UpstreamWatch> watchList(ResourceCollection collection, @Nullable Revision revision) {
        return open(collection, revision, /* initialEvents= */ true, randomTimeout());
    }

    private Result<UpstreamWatch> open(
            ResourceCollection collection,
            @Nullable Revision revision,
            boolean initialEvents,
            Duration timeout) {
        end = machine.environment.clock().instant().plus(timeout);
        Result<UpstreamWatch> result =
                machine.source.watch(
                        new WatchRequest(
                                collection,
                                revision,
                                initialEvents,
                                machine.settings.watches().bookmarks(),
                                machine.settings.watches().bookmarkInterval(),
                                timeout,
                                timeout.plus(SILENCE_MARGIN),
                                machine.settings.timeouts().initialSilence()));
        if (result instanceof Result.Success<UpstreamWatch>) {
            machine.counts.count(Counter.WATCHES_OPENED);
            machine.reporter.accepted(Verb.WATCH);
        }
        return result;
    }

    /** Returns whether a watch that has ended now did so before the server was asked to end it. */
    boolean isEarly() {
        return machine.environment.clock().instant().plus(EARLY).isBefore(end);
    }

    /**
     * Returns a random timeout in whole seconds, so that watches do not end together
     * (list-watch.md#up-9), but none that lasts beyond the next resynchronization.
     */
    private Duration randomTimeout() {
        Duration drawn = machine.settings.watches().timeout().draw(machine.environment.random());
        Duration left = machine.resyncRequest.untilDue();
        Duration shorter = drawn.compareTo(left) < 0 ? drawn : left;
        return Duration.ofSeconds(Math.max(1, shorter.toSeconds()));
    }

    /**
     * Returns the state that opens the next watch where one ended, at once unless that is often.
     */
    ReflectorState nextWatch(ResourceCollection collection) {
        ReflectorState next = new ReflectorState.Opening(collection);
        Duration wait = machine.pacer.untilWatch();
        return wait.isZero() ? next : new ReflectorState.BackingOff(wait, next);
    }
}
