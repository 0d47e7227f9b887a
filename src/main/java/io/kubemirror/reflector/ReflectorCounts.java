package io.kubemirror.reflector;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a reflector has counted since it started; the place where metrics read from.
 *
 * <p>Written by the reflector, read from any thread.
 */
public final class ReflectorCounts {

    private final Map<Counter, LongAdder> values = new ConcurrentHashMap<>();

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
        /** Pages that were gone, and where a list went on with a newer state (PP-8). */
        PAGES_EXPIRED,
        /** Watches that the server accepted. */
        WATCHES_OPENED,
        /** Watches that ended as they should, and were opened again where they ended. */
        WATCHES_ENDED,
        /** Watches that ended because the revision was gone (410). */
        WATCHES_EXPIRED,
        /** Watches that broke, or that the server refused. */
        WATCHES_FAILED,
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

    void count(Counter counter) {
        values.computeIfAbsent(counter, _ -> new LongAdder()).increment();
    }
}
