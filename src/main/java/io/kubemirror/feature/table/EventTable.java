package io.kubemirror.feature.table;

import tools.jackson.databind.JsonNode;

import java.time.Instant;
import java.util.Locale;

/** The columns of events. */
final class EventTable {

    private EventTable() {}

    static TableFormat format() {
        return TableFormat.of(
                "events",
                Column.timed("Last Seen", EventTable::lastSeen),
                Column.text("Type", "/type"),
                Column.text("Reason", "/reason"),
                Column.text("Object", EventTable::involved),
                Column.text("Subobject", "/involvedObject/fieldPath").wide(),
                Column.text("Source", EventTable::source).wide(),
                Column.text("Message", event -> event.path("message").asString("").strip()),
                Column.timed("First Seen", EventTable::firstSeen).wide(),
                Column.count("Count", EventTable::count).wide(),
                Column.named().wide());
    }

    /**
     * Returns when the event was first seen. Events of the newer API have a time and a series
     * instead of two times and a count.
     */
    private static String firstSeen(JsonNode event, Instant now) {
        JsonNode first = event.path("firstTimestamp");
        return HumanDuration.since(isSet(first) ? first : event.path("eventTime"), now);
    }

    private static String lastSeen(JsonNode event, Instant now) {
        JsonNode series = event.path("series");
        if (series.isObject()) {
            return HumanDuration.since(series.path("lastObservedTime"), now);
        }
        JsonNode last = event.path("lastTimestamp");
        return isSet(last) ? HumanDuration.since(last, now) : firstSeen(event, now);
    }

    private static long count(JsonNode event) {
        JsonNode series = event.path("series");
        long count = event.path("count").asLong(0);
        return series.isObject() ? series.path("count").asLong(0) : Math.max(1, count);
    }

    private static String involved(JsonNode event) {
        String kind = event.at("/involvedObject/kind").asString("").toLowerCase(Locale.ROOT);
        String name = event.at("/involvedObject/name").asString("");
        return name.isEmpty() ? kind : kind + "/" + name;
    }

    private static String source(JsonNode event) {
        String component =
                CellText.or(
                        event.at("/source/component").asString(""),
                        event.path("reportingComponent").asString(""));
        String instance =
                CellText.or(
                        event.at("/source/host").asString(""),
                        event.path("reportingInstance").asString(""));
        return instance.isEmpty() ? component : component + ", " + instance;
    }

    private static boolean isSet(JsonNode timestamp) {
        return !timestamp.asString("").isEmpty();
    }
}
