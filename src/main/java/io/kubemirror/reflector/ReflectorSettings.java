package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.DurationRange;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.source.ObjectTransform;
import io.kubemirror.source.ResourceCollection.ObjectShape;

/**
 * The settings for reflecting one collection.
 *
 * @param strategy how to fetch the present state
 * @param pageSize the number of objects in a page of a list
 * @param transform what is stored of each object
 * @param indexed additional fields for field selectors, beside those that the type has
 * @param initialRevision which state the first synchronization asks for
 * @param resyncPeriod how long after a synchronization the collection is listed again although
 *     nothing failed, zero for never; extended by up to a fifth at random
 * @param watches the form of watches
 * @param timeouts the time limits
 */
public record ReflectorSettings(
        Strategy strategy,
        int pageSize,
        ObjectTransform transform,
        List<SelectableField> indexed,
        InitialRevision initialRevision,
        Duration resyncPeriod,
        WatchForm watches,
        ReflectorTimeouts timeouts) {

    /** Copies the list. */
    public ReflectorSettings {
        indexed = List.copyOf(indexed);
    }

    /**
     * Returns these settings with a start at once, and without another look when the server does
     * not have the type.
     */
    public ReflectorSettings startedAtOnce() {
        return with(transform, timeouts.startedAtOnce(Duration.ZERO));
    }

    private ReflectorSettings with(ObjectTransform changed, ReflectorTimeouts limits) {
        return new ReflectorSettings(
                strategy,
                pageSize,
                changed,
                indexed,
                initialRevision,
                resyncPeriod,
                watches,
                limits);
    }

    /** Returns the members to read and to drop of the objects of a type, or of their metadata. */
    ObjectShape shape(ResourceType type, DeclaredFields declared, Extent extent) {
        SelectableFields selectable = SelectableFields.of(type, declared, indexed, extent);
        return new ObjectShape(selectable.extracted(), transform);
    }

    /** The state that the first synchronization of a mirror asks for. */
    public enum InitialRevision {
        /** The most recent state (list-watch.md#up-1, #up-3). */
        MOST_RECENT,
        /**
         * Any state that the server has at hand: {@code resourceVersion=0}. The API server answers
         * from its watch cache and in one piece; the state may be old (list-watch.md#up-47).
         */
        ANY
    }

    /**
     * The form of watches.
     *
     * @param timeout how long the server may keep a watch open; each request draws a duration, in
     *     whole seconds (list-watch.md#up-9)
     * @param bookmarks whether to ask for bookmarks; without them there are no watch-lists, whose
     *     end is a bookmark
     * @param bookmarkInterval the interval of bookmarks to ask for, zero for that of the server;
     *     only another kubemirror heeds it (list-watch.md#bm-11)
     */
    public record WatchForm(DurationRange timeout, boolean bookmarks, Duration bookmarkInterval) {}

    /**
     * When to try again after failures.
     *
     * @param baseDelay the wait after a first failure; doubled with each further one, and
     *     randomized up to twice that (list-watch.md#bo-1)
     * @param maxDelay the wait that is not doubled any more
     * @param resetAfter the time without a wait after which the next is a first one again
     *     (list-watch.md#bo-2)
     * @param maxErrorsPerRevision the number of failures without progress at which the revision
     *     itself is suspect, at least 1 (list-watch.md#bo-5)
     */
    public record RetrySettings(
            Duration baseDelay, Duration maxDelay, Duration resetAfter, int maxErrorsPerRevision) {}

    /**
     * The time limits of reflectors, the same for all reflectors of a process.
     *
     * @param startSpread the maximum random delay of the start (list-watch.md#bo-7)
     * @param internalErrors how long a watch is retried after internal errors of the server, before
     *     a list (list-watch.md#up-38)
     * @param initialSilence the maximum pause of a watch-list before its initial events are
     *     complete, in case the server does not support watch-lists (list-watch.md#up-28)
     * @param auditInterval the interval between comparisons of the mirror with the server, zero for
     *     none (list-watch.md#ca-6)
     * @param minResyncInterval the minimum time between the starts of two lists
     *     (list-watch.md#bo-4)
     * @param pollInterval the wait between two lists of a collection that cannot be watched
     *     (list-watch.md#up-35)
     * @param missingRetry the wait between two lookups of a type that the server does not have;
     *     zero for none. Discovery is cheap, so half an hour as in list-watch.md#up-34 would only
     *     delay users.
     * @param retry when to try again after failures
     */
    public record ReflectorTimeouts(
            Duration startSpread,
            Duration internalErrors,
            Duration initialSilence,
            Duration auditInterval,
            Duration minResyncInterval,
            Duration pollInterval,
            Duration missingRetry,
            RetrySettings retry) {

        /** Returns these limits without the delay of the start. */
        private ReflectorTimeouts startedAtOnce(Duration missing) {
            return new ReflectorTimeouts(
                    Duration.ZERO,
                    internalErrors,
                    initialSilence,
                    auditInterval,
                    minResyncInterval,
                    pollInterval,
                    missing,
                    retry);
        }
    }

    /**
     * How a reflector fetches the present state of a collection. Each strategy decides from what is
     * known about the server.
     */
    public enum Strategy {
        /**
         * A watch that begins with the present state, or a paged list if the server refuses that;
         * with the watch beside it after a list took longer than the server keeps revisions.
         */
        AUTO {
            @Override
            boolean streams(ServerCapabilities server) {
                return server.mayStream();
            }

            @Override
            boolean overlaps(ServerCapabilities server) {
                return server.doListsExpire();
            }
        },

        /** A watch that begins with the present state and continues with the changes. */
        WATCH_LIST {
            @Override
            boolean streams(ServerCapabilities server) {
                return true;
            }

            @Override
            boolean lists() {
                return false;
            }
        },

        /** A list in pages, then a watch from the list's revision. */
        LIST_WATCH,

        /**
         * A paged list with the watch already running beside it: for collections so large that the
         * revision of the list would expire before the list ends.
         */
        LIST_WATCH_PARALLEL {
            @Override
            boolean overlaps(ServerCapabilities server) {
                return true;
            }
        };

        /**
         * Returns whether to request the present state as the initial events of a watch, whose end
         * is a bookmark.
         */
        boolean streams(ServerCapabilities server) {
            return false;
        }

        /** Returns whether a list may replace a watch-list. */
        boolean lists() {
            return true;
        }

        /** Returns whether the watch must run while the pages of a list are fetched. */
        boolean overlaps(ServerCapabilities server) {
            return false;
        }
    }
}
