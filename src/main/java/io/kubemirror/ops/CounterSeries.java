package io.kubemirror.ops;

import io.kubemirror.reflector.ReflectorCounts.Counter;

/**
 * The time series that a counter is published as; the one place where the two are matched.
 *
 * @param family what it is one of
 * @param tagValue the value of the family's tag
 */
record CounterSeries(Family family, String tagValue) {

    /** Counters that add up to something; all have the same tag, as Prometheus demands. */
    enum Family {
        LISTS("kubemirror.upstream.lists", "outcome", "Lists by what came of them"),
        WATCHES("kubemirror.upstream.watches", "result", "Watches accepted by the server"),
        RESTARTS("kubemirror.upstream.watch.restarts", "reason", "Watches that had to be renewed"),
        EVENTS("kubemirror.upstream.events", "type", "Events received"),
        IGNORED("kubemirror.upstream.events.ignored", "reason", "Events that changed nothing"),
        RESYNCS("kubemirror.resyncs", "outcome", "Lists after the first by what watchers saw"),
        AUDITS("kubemirror.upstream.audits", "outcome", "Comparisons with the server");

        private final String meter;
        private final String tagKey;
        private final String description;

        Family(String meter, String tagKey, String description) {
            this.meter = meter;
            this.tagKey = tagKey;
            this.description = description;
        }

        String meter() {
            return meter;
        }

        String tagKey() {
            return tagKey;
        }

        String description() {
            return description;
        }
    }

    static CounterSeries of(Counter counter) {
        return switch (counter) {
            case LISTS_COMPLETED -> new CounterSeries(Family.LISTS, "completed");
            case LISTS_EXPIRED -> new CounterSeries(Family.LISTS, "expired");
            case LISTS_FAILED -> new CounterSeries(Family.LISTS, "failed");
            case PAGES_EXPIRED -> new CounterSeries(Family.LISTS, "continued");
            case WATCHES_OPENED -> new CounterSeries(Family.WATCHES, "opened");
            case WATCHES_ENDED -> new CounterSeries(Family.RESTARTS, "ended");
            case WATCHES_EXPIRED -> new CounterSeries(Family.RESTARTS, "expired");
            case WATCHES_FAILED -> new CounterSeries(Family.RESTARTS, "failed");
            case EVENTS_ADDED -> new CounterSeries(Family.EVENTS, "added");
            case EVENTS_MODIFIED -> new CounterSeries(Family.EVENTS, "modified");
            case EVENTS_DELETED -> new CounterSeries(Family.EVENTS, "deleted");
            case EVENTS_BOOKMARK -> new CounterSeries(Family.EVENTS, "bookmark");
            case EVENTS_DUPLICATE -> new CounterSeries(Family.IGNORED, "duplicate");
            case EVENTS_HIDDEN -> new CounterSeries(Family.IGNORED, "unchanged");
            case EVENTS_FOREIGN -> new CounterSeries(Family.IGNORED, "foreign");
            case RESYNCS_BRIDGED -> new CounterSeries(Family.RESYNCS, "bridged");
            case RESYNCS_BROKEN -> new CounterSeries(Family.RESYNCS, "broken");
            case AUDITS_CONSISTENT -> new CounterSeries(Family.AUDITS, "consistent");
            case AUDITS_DIFFERENT -> new CounterSeries(Family.AUDITS, "different");
            case AUDITS_AHEAD -> new CounterSeries(Family.AUDITS, "ahead");
            case AUDITS_EXPIRED -> new CounterSeries(Family.AUDITS, "expired");
            case AUDITS_REFUSED -> new CounterSeries(Family.AUDITS, "refused");
            case AUDITS_FAILED -> new CounterSeries(Family.AUDITS, "failed");
        };
    }
}
