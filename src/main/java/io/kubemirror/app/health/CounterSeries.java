package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.model.Names;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.micrometer.core.instrument.Tags;

/**
 * Maps each counter to the time series that publishes it.
 *
 * @param family the metric
 * @param tagValue the value of the family's tag, empty if it has none
 */
public record CounterSeries(Family family, String tagValue) {

    /**
     * Metrics whose series add up. All series of a family have the same tag, as Prometheus
     * requires; a family of a single counter has no tag.
     */
    public enum Family {
        LISTS("kubemirror.upstream.lists", "outcome", "Lists by outcome"),
        WATCHES("kubemirror.upstream.watches", "result", "Watches opened"),
        RESTARTS("kubemirror.upstream.watch.restarts", "reason", "Watches opened again"),
        EVENTS("kubemirror.upstream.events", "type", "Events received"),
        IGNORED("kubemirror.upstream.events.ignored", "reason", "Events that changed nothing"),
        RETRIES("kubemirror.upstream.retries", "cause", "[KEY] Attempts after a failure"),
        RECEIVED(
                "kubemirror.upstream.received.bytes",
                "",
                "Bytes received by lists, watches, and audits, before decompression"),
        RESYNC_CHANGES(
                "kubemirror.resync.changes", "", "Changes found by bridged synchronizations"),
        RESYNCS(
                "kubemirror.resyncs",
                "outcome",
                "[KEY] Synchronizations after the first by outcome"),
        INITIALIZATIONS(
                "kubemirror.initializations", "", "Complete synchronizations of an empty mirror"),
        REPAIRS(
                "kubemirror.audit.repaired.objects",
                "",
                "Objects that audits found to differ and synchronizations replaced"),
        AUDITS(
                "kubemirror.upstream.audits",
                "outcome",
                "[KEY] Comparisons with the server by outcome");

        final String meter;
        final String tagKey;
        final String description;

        Family(String meter, String tagKey, String description) {
            this.meter = meter;
            this.tagKey = tagKey;
            this.description = description;
        }
    }

    /**
     * Returns the name of the metric, followed by a dot and the value of the tag, if it has one.
     */
    public String name() {
        return tagValue.isEmpty() ? family.meter : family.meter + "." + tagValue;
    }

    /** The tags that identify this series among those of its family and of other mirrors. */
    Tags tags(Tags scope) {
        return family.tagKey.isEmpty() ? scope : scope.and(family.tagKey, tagValue);
    }

    /** Most counters are named after their family and the value of the tag. */
    public static CounterSeries of(Counter counter) {
        String[] words = Names.kebab(counter).split("-", 2);
        return switch (counter) {
            case PAGES_EXPIRED -> new CounterSeries(Family.LISTS, "continued");
            case WATCHES_ENDED, WATCHES_EXPIRED, WATCHES_FAILED ->
                    new CounterSeries(Family.RESTARTS, words[1]);
            case BYTES_RECEIVED -> new CounterSeries(Family.RECEIVED, "");
            case INITIALIZATIONS -> new CounterSeries(Family.INITIALIZATIONS, "");
            case AUDIT_REPAIRS -> new CounterSeries(Family.REPAIRS, "");
            case RESYNC_CHANGES -> new CounterSeries(Family.RESYNC_CHANGES, "");
            case EVENTS_DUPLICATE, EVENTS_FOREIGN -> new CounterSeries(Family.IGNORED, words[1]);
            default ->
                    new CounterSeries(Family.valueOf(words[0].toUpperCase(Locale.ROOT)), words[1]);
        };
    }
}
