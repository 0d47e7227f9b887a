package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Resync;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.Lister.BufferedWatch;
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
                : this instanceof Streaming || this instanceof Paging || this instanceof CatchingUp;
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
            return switch (from) {
                case ANY -> Revision.ZERO;
                case CACHED -> cached.isZero() ? null : cached;
                case MOST_RECENT, CONFIRMING -> null;
            };
        }
    }

    /**
     * The next page of a list must be fetched, perhaps while a watch from the first page's revision
     * buffers changes (list-watch.md#pp-2).
     *
     * @param sync the synchronization
     * @param request the request for the page
     * @param resync the objects so far, not visible to readers
     * @param revision the revision of the pages so far, null if only the next page shows it
     * @param newest the newest revision of all pages so far, zero before the first
     * @param emptyPages the number of pages in a row without a new object
     * @param stream the watch beside the list, null if there is none
     */
    record Paging(
            Synchronizing sync,
            ListRequest request,
            Resync resync,
            @Nullable Revision revision,
            Revision newest,
            int emptyPages,
            @Nullable BufferedWatch stream)
            implements ReflectorState {

        /** Returns this state after a page with the given revision. */
        Paging arrived(Revision page, int pagesWithoutObject) {
            return new Paging(sync, request, resync, revision, page, pagesWithoutObject, stream);
        }

        /** Returns the state for the next page. */
        Paging next(String token) {
            return new Paging(
                    sync, request.next(token), resync, newest, newest, emptyPages, stream);
        }

        /**
         * Returns the state for the rest of the list, at another revision that only the next page
         * will show (list-watch.md#pp-8).
         */
        Paging inconsistently(String token) {
            return new Paging(sync, request.next(token), resync, null, newest, emptyPages, stream);
        }

        /** Returns this state with another watch beside the list, null for none. */
        Paging beside(@Nullable BufferedWatch watch) {
            return new Paging(sync, request, resync, revision, newest, emptyPages, watch);
        }

        /**
         * Returns whether the pages are of several states, which become consistent only through the
         * watch.
         */
        boolean isMixed() {
            return stream != null && (revision == null || newest.isAfter(stream.start()));
        }
    }

    /**
     * All pages have arrived, but they are of several states of the collection. They become
     * consistent when the watch has passed the newest of these (list-watch.md#pp-8).
     *
     * @param pages the pages
     * @param stream the watch
     * @param reached the revision up to which all changes have been applied
     * @param fruitful whether the watch has sent anything; a watch that ended without an event is
     *     not reopened
     */
    record CatchingUp(Paging pages, WatchStream stream, Revision reached, boolean fruitful)
            implements ReflectorState {

        /** Returns the state after another frame. */
        CatchingUp at(Revision revision) {
            return new CatchingUp(pages, stream, Revision.later(reached, revision), true);
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
        /** Any state, of the first synchronization if so configured (list-watch.md#up-47). */
        ANY,
        /** A state not older than that of the mirror (list-watch.md#up-2, #up-4). */
        CACHED,
        /** The most recent state (list-watch.md#up-1, #up-3, #up-5). */
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
