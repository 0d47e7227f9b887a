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

/** Where a reflector stands. What is known only in one situation is kept only in its record. */
sealed interface ReflectorState {

    /** The type has to be found out. */
    record Resolving() implements ReflectorState {}

    /**
     * The present state has to be fetched, in whichever way the strategy says.
     *
     * @param collection what to fetch
     * @param from which revision to ask for
     */
    record Synchronizing(ResourceCollection collection, SyncStart from) implements ReflectorState {}

    /**
     * The present state has to be fetched by a list.
     *
     * @param collection what to list
     * @param from which revision to ask for
     * @param paged whether to ask for pages; not after a page expired in the middle
     *     (list-watch.md#up-7)
     */
    record Listing(ResourceCollection collection, SyncStart from, boolean paged)
            implements ReflectorState {}

    /**
     * The next page of a list has to be fetched.
     *
     * @param listing which list it is
     * @param request the page
     * @param resync what has arrived so far, visible to nobody
     * @param revision the revision of the pages so far, null before the first
     * @param began since when
     */
    record Paging(
            Listing listing,
            ListRequest request,
            Resync resync,
            @Nullable Revision revision,
            Instant began)
            implements ReflectorState {

        /** The page that follows one of a revision. */
        Paging next(String token, Revision page) {
            return new Paging(listing, request.next(token), resync, page, began);
        }

        /**
         * The rest of the list, at another revision that only the next page will tell
         * (list-watch.md#pp-8).
         */
        Paging inconsistently(String token) {
            return new Paging(listing, request.next(token), resync, null, began);
        }
    }

    /**
     * The next page of a list has to be fetched, while a watch from the first page's revision on
     * collects what changes meanwhile (list-watch.md#pp-2).
     *
     * @param paging the next page
     * @param buffer the watch
     * @param newest the newest revision that a page so far is true at; all have the one that the
     *     tail started from, unless the list expired in the middle
     */
    record Overlapping(Paging paging, BufferedWatch buffer, Revision newest)
            implements ReflectorState {

        /** Whether the pages are, or will be, of several states, which only the watch makes one. */
        boolean mixed() {
            return paging.revision() == null || newest.isAfter(buffer.start());
        }
    }

    /**
     * All pages are there, but of several states of the collection; the watch makes them one as
     * soon as it has passed the newest of these (list-watch.md#pp-8).
     *
     * @param paging the last page
     * @param stream the watch
     * @param reached up to which revision all changes have been taken in
     * @param target the newest revision that a page is true at
     * @param fruitful whether the watch has brought anything; one that ended without is not
     *     prolonged
     */
    record CatchingUp(
            Paging paging, WatchStream stream, Revision reached, Revision target, boolean fruitful)
            implements ReflectorState {

        /** The same after another frame. */
        CatchingUp at(Revision revision) {
            return new CatchingUp(paging, stream, Revision.later(reached, revision), target, true);
        }

        /** The same with another watch. */
        CatchingUp by(WatchStream next) {
            return new CatchingUp(paging, next, reached, target, false);
        }
    }

    /**
     * The present state arrives as the first events of a watch.
     *
     * @param collection what arrives
     * @param from which revision was asked for
     * @param stream where it arrives
     * @param resync what has arrived so far, visible to nobody
     * @param opened since when
     */
    record Streaming(
            ResourceCollection collection,
            SyncStart from,
            WatchStream stream,
            Resync resync,
            Instant opened)
            implements ReflectorState {}

    /**
     * A watch has to be opened where the mirror stands.
     *
     * @param collection what to watch
     */
    record Opening(ResourceCollection collection) implements ReflectorState {}

    /**
     * Changes arrive.
     *
     * @param collection what is watched
     * @param stream where they arrive
     * @param opened since when
     * @param fruitful whether any frame has arrived
     */
    record Watching(
            ResourceCollection collection, WatchStream stream, Instant opened, boolean fruitful)
            implements ReflectorState {}

    /**
     * A watch has been opened at an address where nobody had answered before, and whether the
     * server is as far as the mirror has to be made sure.
     *
     * @param watching what follows if it is
     */
    record Probing(Watching watching) implements ReflectorState {}

    /**
     * Something failed and is tried again after a while.
     *
     * @param delay how long to wait, at most if the server could not be reached
     * @param unreached how it could not be reached, null if it was: the wait ends as soon as it
     *     accepts connections again
     * @param next what follows
     */
    record BackingOff(Duration delay, Failure.@Nullable Unreachable unreached, ReflectorState next)
            implements ReflectorState {

        /** A wait that nothing cuts short. */
        BackingOff(Duration delay, ReflectorState next) {
            this(delay, null, next);
        }
    }

    /** Which state of the collection is asked for. */
    sealed interface SyncStart {

        /** One that is not older than what the mirror has (list-watch.md#up-2, #up-4). */
        record Cached() implements SyncStart {}

        /** The most recent one (list-watch.md#up-1, #up-3, #up-5). */
        record MostRecent() implements SyncStart {}

        /**
         * The most recent one once more, because the last was older than what the mirror has. Met
         * twice, it is true that the server went back (list-watch.md#go-52).
         */
        record Confirming() implements SyncStart {}
    }

    /** The revision to send for it, null for none. */
    static @Nullable Revision requested(SyncStart from, Revision cached) {
        return switch (from) {
            case SyncStart.Cached _ -> cached.isZero() ? null : cached;
            case SyncStart.MostRecent _, SyncStart.Confirming _ -> null;
        };
    }
}
