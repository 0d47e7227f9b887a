package io.kubemirror.ops;

import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.micrometer.core.instrument.Tags;

/**
 * Maps each counter to the time series that publishes it.
 *
 * @param family the metric
 * @param tagValue the value of the family's tag, empty if it has none
 */
record CounterSeries(Family family, String tagValue) {

    /**
     * Metrics whose series add up. All series of a family have the same tag, as Prometheus
     * requires; a family of a single counter has no tag.
     */
    enum Family {
        LISTS("kubemirror.upstream.lists", "outcome", "Lists by outcome"),
        WATCHES("kubemirror.upstream.watches", "result", "Watches opened"),
        RESTARTS("kubemirror.upstream.watch.restarts", "reason", "Watches opened again"),
        EVENTS("kubemirror.upstream.events", "type", "Events received"),
        IGNORED("kubemirror.upstream.events.ignored", "reason", "Events that changed nothing"),
        RETRIES("kubemirror.upstream.retries", "cause", "Attempts after a failure"),
        RECEIVED(
                "kubemirror.upstream.received.bytes",
                "",
                "Bytes received by lists, watches, and audits, before decompression"),
        RESYNC_CHANGES(
                "kubemirror.resync.changes", "", "Changes found by bridged synchronizations"),
        RESYNCS("kubemirror.resyncs", "outcome", "Synchronizations after the first by outcome"),
        AUDITS("kubemirror.upstream.audits", "outcome", "Comparisons with the server by outcome");

        final String meter;
        final String tagKey;
        final String description;

        Family(String meter, String tagKey, String description) {
            this.meter = meter;
            this.tagKey = tagKey;
            this.description = description;
        }
    }

    /** The tags that identify this series among those of its family and of other mirrors. */
    Tags tags(Tags scope) {
        return family.tagKey.isEmpty() ? scope : scope.and(family.tagKey, tagValue);
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
            case RETRIES_UNREACHABLE -> new CounterSeries(Family.RETRIES, "unreachable");
            case RETRIES_THROTTLED -> new CounterSeries(Family.RETRIES, "throttled");
            case RETRIES_REFUSED -> new CounterSeries(Family.RETRIES, "refused");
            case RETRIES_EXPIRED -> new CounterSeries(Family.RETRIES, "expired");
            case RETRIES_MALFORMED -> new CounterSeries(Family.RETRIES, "malformed");
            case RETRIES_INTERRUPTED -> new CounterSeries(Family.RETRIES, "interrupted");
            case RETRIES_OVER_BUDGET -> new CounterSeries(Family.RETRIES, "over-budget");
            case RETRIES_DEFECT -> new CounterSeries(Family.RETRIES, "defect");
            case BYTES_RECEIVED -> new CounterSeries(Family.RECEIVED, "");
            case RESYNC_CHANGES -> new CounterSeries(Family.RESYNC_CHANGES, "");
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
