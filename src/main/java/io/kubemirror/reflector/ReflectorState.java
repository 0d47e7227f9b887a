package io.kubemirror.reflector;

import io.kubemirror.mirror.Resync;
import io.kubemirror.model.Revision;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.ListRequest;
import io.kubemirror.upstream.ResourceCollection;
import io.kubemirror.upstream.WatchStream;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/** The state of a reflector. Data that is known only in one state is kept only in its record. */
sealed interface ReflectorState {

    /** The type must be resolved by discovery. */
    record Resolving() implements ReflectorState {}

    /**
     * The present state must be fetched, in the way that the strategy selects.
     *
     * @param collection what to fetch
     * @param from the revision to ask for
     */
    record Synchronizing(ResourceCollection collection, SyncStart from) implements ReflectorState {}

    /**
     * The present state must be fetched by a list.
     *
     * @param collection what to list
     * @param from the revision to ask for
     * @param paged whether to ask for pages; false after a page expired in the middle
     *     (list-watch.md#up-7)
     */
    record Listing(ResourceCollection collection, SyncStart from, boolean paged)
            implements ReflectorState {}

    /**
     * The next page of a list must be fetched.
     *
     * @param listing the list
     * @param request the request for the page
     * @param resync the objects so far, not visible to readers
     * @param revision the revision of the pages so far, null before the first
     * @param began the start of the list
     */
    record Paging(
            Listing listing,
            ListRequest request,
            Resync resync,
            @Nullable Revision revision,
            Instant began)
            implements ReflectorState {

        /** Returns the state for the page after one with the given revision. */
        Paging next(String token, Revision page) {
            return new Paging(listing, request.next(token), resync, page, began);
        }

        /**
         * Returns the state for the rest of the list, at another revision that only the next page
         * will show (list-watch.md#pp-8).
         */
        Paging inconsistently(String token) {
            return new Paging(listing, request.next(token), resync, null, began);
        }
    }

    /**
     * The next page of a list must be fetched, while a watch from the first page's revision buffers
     * changes (list-watch.md#pp-2).
     *
     * @param paging the next page
     * @param buffer the watch
     * @param newest the newest revision of all pages so far; all have the revision that the watch
     *     started from, unless the list expired in the middle
     */
    record Overlapping(Paging paging, BufferedWatch buffer, Revision newest)
            implements ReflectorState {

        /**
         * Returns whether the pages are of several states, which become consistent only through the
         * watch.
         */
        boolean mixed() {
            return paging.revision() == null || newest.isAfter(buffer.start());
        }
    }

    /**
     * All pages have arrived, but they are of several states of the collection. They become
     * consistent when the watch has passed the newest of these (list-watch.md#pp-8).
     *
     * @param paging the last page
     * @param stream the watch
     * @param reached the revision up to which all changes have been applied
     * @param target the newest revision of all pages
     * @param fruitful whether the watch has sent anything; a watch that ended without an event is
     *     not reopened
     */
    record CatchingUp(
            Paging paging, WatchStream stream, Revision reached, Revision target, boolean fruitful)
            implements ReflectorState {

        /** Returns the state after another frame. */
        CatchingUp at(Revision revision) {
            return new CatchingUp(paging, stream, Revision.later(reached, revision), target, true);
        }

        /** Returns the state with another watch. */
        CatchingUp by(WatchStream next) {
            return new CatchingUp(paging, next, reached, target, false);
        }
    }

    /**
     * The present state arrives as the initial events of a watch.
     *
     * @param collection what arrives
     * @param from the revision that was asked for
     * @param stream the watch
     * @param resync the objects so far, not visible to readers
     * @param opened the time when the watch was opened
     */
    record Streaming(
            ResourceCollection collection,
            SyncStart from,
            WatchStream stream,
            Resync resync,
            Instant opened)
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
     * A watch was opened after the server was unreachable, and the reflector must verify that the
     * server is not older than the mirror.
     *
     * @param watching the next state if it is not
     */
    record Probing(Watching watching) implements ReflectorState {}

    /**
     * Something failed, and the reflector waits before the next attempt.
     *
     * @param delay the wait; a maximum if the server was unreachable
     * @param unreached the failure to connect, null if the server was reached: the wait ends as
     *     soon as the server accepts connections again
     * @param next the next state
     */
    record BackingOff(Duration delay, Failure.@Nullable Unreachable unreached, ReflectorState next)
            implements ReflectorState {

        /** Creates a wait that is never shortened. */
        BackingOff(Duration delay, ReflectorState next) {
            this(delay, null, next);
        }
    }

    /** The state of the collection that a synchronization asks for. */
    sealed interface SyncStart {

        /** A state not older than that of the mirror (list-watch.md#up-2, #up-4). */
        record Cached() implements SyncStart {}

        /** The most recent state (list-watch.md#up-1, #up-3, #up-5). */
        record MostRecent() implements SyncStart {}

        /**
         * The most recent state once more, because the last one was older than that of the mirror.
         * If both are older, the server was restored from a backup (list-watch.md#go-52).
         */
        record Confirming() implements SyncStart {}
    }

    /** Returns the revision to send, null for none. */
    static @Nullable Revision requested(SyncStart from, Revision cached) {
        return switch (from) {
            case SyncStart.Cached _ -> cached.isZero() ? null : cached;
            case SyncStart.MostRecent _, SyncStart.Confirming _ -> null;
        };
    }
}
