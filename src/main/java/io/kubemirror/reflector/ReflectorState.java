package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Resync;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.WatchStream;

import org.jspecify.annotations.Nullable;

/**
 * The state of a reflector. Data that is known only in one state is kept only in its record. The
 * transitions are in {@code src/docs/reflector.md}.
 */
sealed interface ReflectorState {

    /** Returns the open watch, null if the state has none. */
    default @Nullable WatchStream stream() {
        return null;
    }

    /** Closes the watch, if there is one. */
    default void close() {
        WatchStream open = stream();
        if (open != null) {
            open.close();
        }
    }

    /** Returns whether the server must send the whole collection (list-watch.md#bo-7). */
    default boolean isFetching() {
        return this instanceof Synchronizing || this instanceof Streaming || this instanceof Paging;
    }

    /** Returns whether the state holds objects that readers cannot see yet. */
    default boolean holdsObjects() {
        return this instanceof BackingOff(var _, var _, var next)
                ? next.holdsObjects()
                : this instanceof Streaming || this instanceof Paging;
    }

    /** The type must be resolved by discovery. */
    record Resolving() implements ReflectorState {}

    /**
     * The present state must be fetched.
     *
     * @param collection what to fetch
     * @param from the revision to ask for
     * @param method how to fetch it
     */
    record Synchronizing(ResourceCollection collection, SyncStart from, FetchMethod method)
            implements ReflectorState {

        /** Creates a state in which the strategy selects the method. */
        Synchronizing(ResourceCollection collection, SyncStart from) {
            this(collection, from, FetchMethod.PREFERRED);
        }

        /** Returns the state for a list in pages. */
        Synchronizing byPages() {
            return new Synchronizing(collection, from, FetchMethod.PAGES);
        }

        /** Returns the same state once more, to confirm a revision that went back. */
        Synchronizing confirming() {
            return new Synchronizing(collection, SyncStart.CONFIRMING, method);
        }

        /** Returns the revision to send, null for none. */
        @Nullable Revision requested(Revision cached) {
            return from == SyncStart.CACHED && !cached.isZero() ? cached : null;
        }
    }

    /**
     * The next page of a list must be fetched, perhaps while a watch from the first page's revision
     * buffers changes (list-watch.md#pp-1).
     *
     * @param sync the synchronization
     * @param request the request for the page
     * @param resync the objects so far, not visible to readers
     * @param revision the revision of all pages, null before the first
     * @param emptyPages the number of pages in a row without a new object
     * @param stream the watch beside the list, null if there is none
     */
    record Paging(
            Synchronizing sync,
            ListRequest request,
            Resync resync,
            @Nullable Revision revision,
            int emptyPages,
            @Nullable WatchStream stream)
            implements ReflectorState {

        /** Returns the state for the next page after one with the given revision. */
        Paging next(String token, Revision page, int pagesWithoutObject) {
            return new Paging(sync, request.next(token), resync, page, pagesWithoutObject, stream);
        }

        /** Returns this state with a watch beside the list. */
        Paging beside(WatchStream watch) {
            return new Paging(sync, request, resync, revision, emptyPages, watch);
        }
    }

    /**
     * The present state arrives as the initial events of a watch.
     *
     * @param sync the synchronization
     * @param stream the watch
     * @param resync the objects so far, not visible to readers
     */
    record Streaming(Synchronizing sync, WatchStream stream, Resync resync)
            implements ReflectorState {}

    /**
     * A watch must be opened at the revision of the mirror.
     *
     * @param collection what to watch
     */
    record Opening(ResourceCollection collection) implements ReflectorState {}

    /**
     * Changes arrive.
     *
     * @param collection what is watched
     * @param stream the watch
     * @param opened the time when the watch was opened
     * @param fruitful whether any frame has arrived
     */
    record Watching(
            ResourceCollection collection, WatchStream stream, Instant opened, boolean fruitful)
            implements ReflectorState {}

    /**
     * Something failed, and the reflector waits before the next attempt.
     *
     * @param delay the wait; a maximum if the server was unreachable
     * @param unreached the failure to connect, null if the server was reached: the wait ends as
     *     soon as the server accepts connections again
     * @param next the next state; that of a list keeps its objects and its watch meanwhile
     */
    record BackingOff(Duration delay, Failure.@Nullable Unreachable unreached, ReflectorState next)
            implements ReflectorState {

        @Override
        public @Nullable WatchStream stream() {
            return next.stream();
        }

        /** Creates a wait that is never shortened. */
        BackingOff(Duration delay, ReflectorState next) {
            this(delay, null, next);
        }
    }

    /** The state of the collection that a synchronization asks for. */
    enum SyncStart {
        /** A state not older than that of the mirror (list-watch.md#up-1, #up-4). */
        CACHED,
        /** The most recent state (list-watch.md#up-1, #up-3). */
        MOST_RECENT,
        /**
         * The most recent state once more, because the last one was older than that of the mirror.
         * If both are older, the server was restored from a backup (list-watch.md#go-52).
         */
        CONFIRMING
    }

    /** How a synchronization fetches the present state. */
    enum FetchMethod {
        /** As the strategy and the capabilities of the server determine. */
        PREFERRED,
        /** By a list, in pages where that is possible (list-watch.md#up-4). */
        PAGES,
        /** By a list in one piece, after a page expired (list-watch.md#up-7). */
        WHOLE
    }
}
