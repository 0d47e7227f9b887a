package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorState.FetchMethod;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream;

import org.jspecify.annotations.Nullable;

/** The requests of a reflector: their parameters, and what their acceptance shows. */
final class UpstreamRequests {

    /**
     * A watch is dead if it is silent for this much longer than its timeout (list-watch.md#up-11).
     */
    private static final Duration SILENCE_MARGIN = Duration.ofSeconds(5);

    /**
     * The maximum pause of a watch-list before its initial events are complete, in case the server
     * does not support watch-lists (list-watch.md#up-28).
     */
    private static final Duration INITIAL_SILENCE = Duration.ofSeconds(30);

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
            machine.reporter.answered();
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

    /** Returns whether the server has namespaces, but not this one. A refusal is no. */
    boolean lacks(String namespace) {
        FieldSelector named =
                new FieldSelector(
                        "metadata.name=" + namespace,
                        Set.of(new FieldSelector.FieldTerm("metadata.name", false, namespace)));
        Selection only = new Selection("", LabelSelector.everything(), named);
        List<KubeObject> found = new ArrayList<>();
        return machine.source.resolve(new ResourceName("namespaces"))
                        instanceof Result.Success(TypeLookup.Found(var type, var _))
                && machine.source.list(
                                new ListRequest(
                                        new ResourceCollection(type, only, ObjectShape.plain()),
                                        null,
                                        1,
                                        null),
                                found::add)
                        instanceof Result.Success
                && found.isEmpty();
    }

    /**
     * Opens a watch after a revision.
     *
     * @param ahead whether its events wait until they are read
     */
    Result<WatchStream> watch(ResourceCollection collection, Revision revision, boolean ahead) {
        machine.watches.begin();
        return open(collection, revision, /* initialEvents= */ false, ahead);
    }

    /** Opens a watch that begins with the present state. */
    Result<WatchStream> watchList(ResourceCollection collection, @Nullable Revision revision) {
        return open(collection, revision, /* initialEvents= */ true, /* ahead= */ false);
    }

    private Result<WatchStream> open(
            ResourceCollection collection,
            @Nullable Revision revision,
            boolean initialEvents,
            boolean ahead) {
        Duration timeout = randomTimeout();
        end = machine.environment.clock().instant().plus(timeout);
        Result<WatchStream> result =
                machine.source.watch(
                        new WatchRequest(
                                collection,
                                revision,
                                initialEvents,
                                machine.settings.watches().bookmarks(),
                                timeout,
                                timeout.plus(SILENCE_MARGIN),
                                INITIAL_SILENCE,
                                ahead));
        if (result instanceof Result.Success<WatchStream>) {
            machine.reporter.answered();
        }
        return result;
    }

    /** Returns whether a watch that has ended now did so before the server was asked to end it. */
    boolean isEarly() {
        return machine.environment.clock().instant().plus(EARLY).isBefore(end);
    }

    /**
     * Returns a random timeout in whole seconds, so that watches do not end together
     * (list-watch.md#up-9).
     */
    private Duration randomTimeout() {
        Duration drawn = machine.settings.watches().timeout().draw(machine.environment.random());
        return Duration.ofSeconds(Math.max(1, drawn.toSeconds()));
    }

    /**
     * Returns the state that opens the next watch where one ended, at once unless that is often.
     */
    ReflectorState nextWatch(ResourceCollection collection) {
        ReflectorState next = new ReflectorState.Opening(collection);
        Duration wait = machine.watches.untilNext();
        return wait.isZero() ? next : new ReflectorState.BackingOff(wait, next);
    }
}
