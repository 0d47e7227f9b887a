package io.kubemirror.reflector;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/**
 * What a reflector has counted since it started, and how long things take; the place where metrics
 * read from.
 *
 * <p>Written by the reflector, read from any thread.
 */
public final class ReflectorCounts {

    /** An adder is never replaced, and each is exact when nobody counts. */
    private final Map<Counter, LongAdder> values = new ConcurrentHashMap<>();

    private final List<BiConsumer<TimedSpan, Duration>> listeners = new CopyOnWriteArrayList<>();

    /** Everything that is timed. */
    public enum TimedSpan {
        /** A watch-list, from the request to the end of its initial events. */
        WATCH_LIST,
        /** A list, from the request for its first page to the end of its last. */
        LIST,
        /** A list with its watch beside it, to the point where the watch has caught up. */
        LIST_WITH_WATCH,
        /**
         * From the creation of an object, by the server's clock and cut off to whole seconds, to
         * where readers can have it: what a watch brings only, and of whole collections only, since
         * an object may come to a selection long after its creation.
         */
        SYNC_LAG
    }

    /** Everything that is counted. */
    public enum Counter {
        /** Lists that arrived completely. */
        LISTS_COMPLETED,
        /**
         * Lists that the server refused because the revision or token was gone, or was not there
         * yet.
         */
        LISTS_EXPIRED,
        /** Lists that failed otherwise. */
        LISTS_FAILED,
        /**
         * Pages that were gone, and where a list went on with a newer state (list-watch.md#pp-8).
         */
        PAGES_EXPIRED,
        /** Watches that the server accepted. */
        WATCHES_OPENED,
        /** Watches that ended as they should, and were opened again where they ended. */
        WATCHES_ENDED,
        /** Watches that ended because the revision was gone (410). */
        WATCHES_EXPIRED,
        /** Watches that broke, or that the server refused. */
        WATCHES_FAILED,
        /** Further attempts after the server did not answer. */
        RETRIES_UNREACHABLE,
        /** Further attempts after the server had too much to do (429). */
        RETRIES_THROTTLED,
        /** Further attempts after the server refused a request, for lack of rights for example. */
        RETRIES_REFUSED,
        /** Further attempts after a revision was gone (410). */
        RETRIES_EXPIRED,
        /** Further attempts after an answer that made no sense. */
        RETRIES_MALFORMED,
        /** Further attempts after a stream that broke, ended at once or cannot be followed. */
        RETRIES_INTERRUPTED,
        /** Further attempts after a collection that did not fit into the memory budget. */
        RETRIES_OVER_BUDGET,
        /** Further attempts after a defect of kubemirror. */
        RETRIES_DEFECT,
        /** Bytes of lists and watches that came from the network. */
        BYTES_RECEIVED,
        /** Additions received. */
        EVENTS_ADDED,
        /** Modifications received. */
        EVENTS_MODIFIED,
        /** Deletions received. */
        EVENTS_DELETED,
        /** Bookmarks received. */
        EVENTS_BOOKMARK,
        /** Events received that were known already. */
        EVENTS_DUPLICATE,
        /** Events received that changed nothing but what is dropped. */
        EVENTS_HIDDEN,
        /** Events received that did not belong to the collection. */
        EVENTS_FOREIGN,
        /** Resynchronisations that local watchers saw as ordinary changes. */
        RESYNCS_BRIDGED,
        /** Resynchronisations that ended local watches. */
        RESYNCS_BROKEN,
        /** Changes that bridged resynchronisations found. */
        RESYNC_CHANGES,
        /** Audits that found the mirror equal to the server. */
        AUDITS_CONSISTENT,
        /** Audits that found a difference. */
        AUDITS_DIFFERENT,
        /** Audits at a revision that the server does not have. */
        AUDITS_AHEAD,
        /** Audits at a revision that the server has forgotten. */
        AUDITS_EXPIRED,
        /** Audits that the server does not allow or cannot serve. */
        AUDITS_REFUSED,
        /** Audits that got no answer. */
        AUDITS_FAILED
    }

    /** How often something has happened. */
    public long get(Counter counter) {
        LongAdder value = values.get(counter);
        return value == null ? 0 : value.sum();
    }

    /** Something has happened once. */
    public void count(Counter counter) {
        add(counter, 1);
    }

    /** Something has happened so many times. */
    public void add(Counter counter, long times) {
        values.computeIfAbsent(counter, _ -> new LongAdder()).add(times);
    }

    /**
     * Tells somebody from now on how long what took.
     *
     * @param listener called by the reflector, so that it has to be quick
     */
    public void listen(BiConsumer<TimedSpan, Duration> listener) {
        listeners.add(listener);
    }

    /** Something has taken so long. */
    public void time(TimedSpan span, Duration duration) {
        listeners.forEach(listener -> listener.accept(span, duration));
    }
}
