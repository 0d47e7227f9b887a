package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.DurationRange;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.StoredFields;

/**
 * The settings for reflecting one collection.
 *
 * @param strategy how to fetch the present state
 * @param pageSize the number of objects in a page of a list
 * @param stored what is stored of each object
 * @param indexed additional fields for field selectors, beside those that the type has
 * @param watches the form of watches
 * @param timeouts the time limits
 */
public record ReflectorSettings(
        Strategy strategy,
        int pageSize,
        StoredFields stored,
        List<SelectableField> indexed,
        WatchForm watches,
        ReflectorTimeouts timeouts) {

    /** Copies the list. */
    public ReflectorSettings {
        indexed = List.copyOf(indexed);
    }

    /** Returns the members to read and to drop of the objects of a type, or of their metadata. */
    ObjectShape shape(ResourceType type, DeclaredFields declared, Extent extent) {
        SelectableFields selectable = SelectableFields.of(type, declared, indexed, extent);
        return new ObjectShape(selectable.extracted(), stored);
    }

    /**
     * The form of watches.
     *
     * @param timeout how long the server may keep a watch open; each request draws a duration, in
     *     whole seconds (list-watch.md#up-9)
     * @param bookmarks whether to ask for bookmarks; without them there are no watch-lists, whose
     *     end is a bookmark
     */
    public record WatchForm(DurationRange timeout, boolean bookmarks) {}

    /**
     * When to try again after failures.
     *
     * @param baseDelay the wait after a first failure; doubled with each further one, and
     *     randomized up to twice that (list-watch.md#bo-1)
     * @param maxDelay the wait that is not doubled any more
     * @param resetAfter the time without a wait after which the next is a first one again
     *     (list-watch.md#bo-1)
     * @param maxErrorsPerRevision the number of failures without progress at which the revision
     *     itself is suspect, at least 1 (list-watch.md#bo-5)
     */
    public record RetrySettings(
            Duration baseDelay, Duration maxDelay, Duration resetAfter, int maxErrorsPerRevision) {}

    /**
     * The time limits of reflectors, the same for all reflectors of a process.
     *
     * @param startSpread the maximum random delay of the start (list-watch.md#bo-7)
     * @param auditInterval the interval between comparisons of the mirror with the server, zero for
     *     none (list-watch.md#ca-6)
     * @param missingRetry the wait between two lookups of a type that the server does not have;
     *     zero for none. Discovery is cheap, so half an hour as in list-watch.md#up-34 would only
     *     delay users.
     * @param retry when to try again after failures
     */
    public record ReflectorTimeouts(
            Duration startSpread,
            Duration auditInterval,
            Duration missingRetry,
            RetrySettings retry) {}

    /** How a reflector fetches the present state of a collection. */
    public enum Strategy {
        /**
         * A watch that begins with the present state, or a paged list if the server refuses that;
         * with the watch beside it after a list took longer than the server keeps revisions.
         */
        AUTO,
        /** A watch that begins with the present state and continues with the changes. */
        WATCH_LIST,
        /** A list in pages, then a watch from the list's revision. */
        LIST_WATCH,
        /**
         * A paged list with the watch already running beside it: for collections so large that the
         * revision of the list would expire before the list ends.
         */
        LIST_WATCH_PARALLEL
    }
}
