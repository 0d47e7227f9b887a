package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.model.Names;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.micrometer.core.instrument.Tags;

/**
 * Maps each counter to the time series that publishes it: named after its first word, with the
 * other words as the value of the tag.
 *
 * @param family the metric
 * @param tagValue the value of the family's tag
 */
public record CounterSeries(Family family, String tagValue) {

    /**
     * Metrics whose series add up. All series of a family have the same tag, as Prometheus
     * requires.
     */
    public enum Family {
        LISTS("kubemirror.upstream.lists", "outcome", "Lists by outcome"),
        WATCHES("kubemirror.upstream.watch.restarts", "reason", "Watches opened again"),
        EVENTS("kubemirror.upstream.events", "type", "Events received"),
        RETRIES("kubemirror.upstream.retries", "cause", "[KEY] Attempts after a failure"),
        RESYNCS(
                "kubemirror.resyncs",
                "outcome",
                "[KEY] Synchronizations after the first by outcome"),
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

    /** Returns the name of the metric, followed by a dot and the value of the tag. */
    public String name() {
        return family.meter + "." + tagValue;
    }

    /** The tags that identify this series among those of its family and of other mirrors. */
    Tags tags(Tags scope) {
        return scope.and(family.tagKey, tagValue);
    }

    /** Returns the series of a counter. */
    public static CounterSeries of(Counter counter) {
        String[] words = Names.kebab(counter).split("-", 2);
        return new CounterSeries(Family.valueOf(words[0].toUpperCase(Locale.ROOT)), words[1]);
    }
}
