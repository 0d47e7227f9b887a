package io.kubemirror.reflector;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorState.FetchMethod;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream.UpstreamWatch;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** The requests of a reflector: their parameters, and what their acceptance shows. */
final class UpstreamRequests {

    /**
     * A watch is dead if it is silent for this much longer than its timeout (list-watch.md#up-11).
     */
    private static final Duration SILENCE_MARGIN = Duration.ofSeconds(5);

    /** The API server sends a bookmark two seconds before it ends a watch. */
    private static final Duration BRIEF = Duration.ofSeconds(4);

    private final Source api;
    private final ReflectorSettings settings;
    private final RequestPacer pacer;
    private final StatusReporter reporter;
    private final ReflectorCounts counts;
    private final ResyncRequest resyncRequest;
    private final RandomGenerator random;

    UpstreamRequests(StateMachine machine) {
        this.api = machine.source;
        this.settings = machine.settings;
        this.pacer = machine.pacer;
        this.reporter = machine.reporter;
        this.counts = machine.counts;
        this.resyncRequest = machine.resyncRequest;
        this.random = machine.environment.random();
    }

    /**
     * Returns the request for the first page of a list. A limit would turn "not older than" into
     * "exactly", which is soon expired (list-watch.md#up-4).
     */
    ListRequest firstPage(ReflectorState.Synchronizing sync, @Nullable Revision revision) {
        boolean paged = sync.method() == FetchMethod.PAGES && revision == null;
        return new ListRequest(sync.collection(), revision, paged ? settings.pageSize() : 0, null);
    }

    /** Lists a page. */
    Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        Result<ListMeta> result = api.list(request, objects);
        if (result instanceof Result.Success<ListMeta>) {
            reporter.accepted(Verb.LIST);
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
        Selection everything = Selection.everything();
        Selection unselected =
                new Selection(
                        collection.selection().namespace(),
                        everything.labels(),
                        everything.fields());
        return list(
                new ListRequest(
                        new ResourceCollection(
                                collection.type(),
                                unselected,
                                collection.shape(),
                                collection.extent()),
                        null,
                        1,
                        null),
                first);
    }

    /** Opens a watch after a revision. */
    Result<UpstreamWatch> watch(ResourceCollection collection, Revision revision) {
        pacer.watch();
        return open(collection, revision, /* initialEvents= */ false, randomTimeout());
    }

    /**
     * Opens a watch after a revision that brings a bookmark within seconds. A server sends one
     * before it ends a watch, and otherwise about every minute (list-watch.md#bm-4).
     */
    Result<UpstreamWatch> briefWatch(ResourceCollection collection, Revision revision) {
        pacer.watch();
        Duration timeout = settings.watches().bookmarks() ? BRIEF : randomTimeout();
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
        Result<UpstreamWatch> result =
                api.watch(
                        new WatchRequest(
                                collection,
                                revision,
                                initialEvents,
                                settings.watches().bookmarks(),
                                settings.watches().bookmarkInterval(),
                                timeout,
                                timeout.plus(SILENCE_MARGIN),
                                settings.timeouts().initialSilence()));
        if (result instanceof Result.Success<UpstreamWatch>) {
            counts.count(Counter.WATCHES_OPENED);
            reporter.accepted(Verb.WATCH);
        }
        return result;
    }

    /**
     * Returns a random timeout in whole seconds, so that watches do not end together
     * (list-watch.md#up-9), but none that lasts beyond the next resynchronization.
     */
    private Duration randomTimeout() {
        Duration drawn = settings.watches().timeout().draw(random);
        Duration left = resyncRequest.untilDue();
        Duration shorter = drawn.compareTo(left) < 0 ? drawn : left;
        return Duration.ofSeconds(Math.max(1, shorter.toSeconds()));
    }

    /**
     * Returns the state that opens the next watch where one ended, at once unless that is often.
     */
    ReflectorState nextWatch(ResourceCollection collection) {
        ReflectorState next = new ReflectorState.Opening(collection);
        Duration wait = pacer.untilWatch();
        return wait.isZero() ? next : new ReflectorState.BackingOff(wait, next);
    }
}
