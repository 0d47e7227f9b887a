package io.kubemirror.feature.forward;

import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.read.RevisionProbe;
import io.kubemirror.api.read.SingleFlight;
import io.kubemirror.feature.forward.AnsweredWrite.Changed;
import io.kubemirror.feature.forward.AnsweredWrite.Missing;
import io.kubemirror.feature.forward.PendingWrites.Pending;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Extent;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SelectorException;
import io.kubemirror.source.ListRequest;
import io.kubemirror.source.ObjectShape;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/**
 * Asks the API server about writes whose answers did not tell enough, or that a mirror does not
 * show for a while: whether the object exists and is selected, and at which revision.
 */
public final class WriteLookup {

    /** The maximum number of objects that are looked up one by one. */
    static final int MAX_OBJECTS = 16;

    private final Source api;
    private final Predicate<ResourceType> discovered;
    private final RevisionProbe probe;
    private final SingleFlight<Mirror, Boolean> flight;

    /**
     * Creates a lookup.
     *
     * @param discovered whether a type comes from the API server
     * @param threads runs each task immediately, on its own thread
     */
    public WriteLookup(
            Source api, Predicate<ResourceType> discovered, RevisionProbe probe, Executor threads) {
        this.api = api;
        this.discovered = discovered;
        this.probe = probe;
        this.flight = new SingleFlight<>(RevisionProbe.MAX_COLLECTIONS, threads);
    }

    /**
     * Returns whether the revisions of a mirror are those of the API server's answers. Those of a
     * type from another source are not.
     */
    boolean isComparable(Mirror mirror) {
        return mirror.type().map(discovered::test).orElse(true);
    }

    /** Returns the revision that the API server has after the call, empty if it does not tell. */
    Optional<Revision> newest(Mirror mirror, Duration allotted) {
        try {
            ResourceType type = mirror.type().orElse(null);
            return type != null
                            && probe.newest(mirror, type, allotted)
                                    instanceof Result.Success(var list)
                    ? Optional.of(list.revision())
                    : Optional.empty();
        } catch (Rejection late) {
            return Optional.empty();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /**
     * Looks up the writes that are unresolved now. Concurrent calls share the requests.
     *
     * @param allotted the maximum time to wait
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    void resolve(Mirror mirror, PendingWrites writes, Duration allotted)
            throws InterruptedException {
        var share = flight.join(mirror, () -> resolve(mirror, writes));
        try {
            if (share.isPresent()) {
                share.get().await(allotted);
            }
        } catch (TimeoutException overdue) {
            // The caller finds the writes unresolved.
        }
    }

    private boolean resolve(Mirror mirror, PendingWrites writes) {
        Pending known = writes.pending();
        ResourceType type = mirror.type().orElse(null);
        if (type == null) {
            return false;
        }
        Map<ObjectKey, AnsweredWrite> unresolved =
                writes.unresolved(known, mirror.snapshot().orElse(null));
        if (known.unclear() == 0 && unresolved.size() <= MAX_OBJECTS) {
            return unresolved.entrySet().stream()
                    .allMatch(
                            entry ->
                                    resolve(
                                            mirror,
                                            type,
                                            writes,
                                            entry.getKey(),
                                            entry.getValue()));
        }
        if (probe.request(mirror, type) instanceof Result.Success(var list)) {
            // Every write that is known was done before this revision.
            writes.cover(known, list.revision());
            return true;
        }
        return false;
    }

    /** Returns whether the server has answered. */
    private boolean resolve(
            Mirror mirror,
            ResourceType type,
            PendingWrites writes,
            ObjectKey key,
            AnsweredWrite write) {
        AtomicReference<KubeObject> found = new AtomicReference<>();
        ListRequest request = request(mirror.scope().selection(), type, key);
        return switch (api.list(request, found::set)) {
            case Result.Success(var list) -> {
                writes.resolve(key, write, answer(write, found.get(), list.revision()));
                yield true;
            }
            case Result.Failed(var _) -> false;
        };
    }

    /** Returns null if the server has lost the write, because it was restored from a backup. */
    private static @Nullable AnsweredWrite answer(
            AnsweredWrite write, @Nullable KubeObject object, Revision newest) {
        if (write instanceof Changed changed && newest.isBefore(changed.at())) {
            return null;
        }
        return object == null
                ? new Missing(newest)
                : new Changed(object.revision(), object.uid(), true, true);
    }

    /** Lets the API server decide whether the mirror selects the object. */
    private static ListRequest request(Selection held, ResourceType type, ObjectKey key) {
        Selection single = new Selection(key.namespace(), held.labels(), named(held, key));
        ResourceCollection collection =
                new ResourceCollection(type, single, ObjectShape.plain(), Extent.METADATA);
        return new ListRequest(collection, null, 1, null);
    }

    private static FieldSelector named(Selection held, ObjectKey key) {
        try {
            FieldSelector name = ListOptions.ofName(key.name());
            return held.fields().isEverything()
                    ? name
                    : FieldSelector.parse(held.fields().text() + "," + name.text());
        } catch (SelectorException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
