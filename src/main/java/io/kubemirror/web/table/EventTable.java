package io.kubemirror.web.table;

import tools.jackson.databind.JsonNode;

import java.time.Instant;
import java.util.Locale;

/** The columns of events. */
final class EventTable {

    private EventTable() {}

    static TableFormat format() {
        return TableFormat.of(
                Column.timed(
                        "Last Seen",
                        "The time at which the most recent occurrence of this event was recorded.",
                        EventTable::lastSeen),
                Column.text(
                        "Type",
                        "Type of this event (Normal, Warning), new types could be added in the"
                                + " future",
                        object -> object.path("type").asString("")),
                Column.text(
                        "Reason",
                        "This should be a short, machine understandable string that gives the"
                                + " reason for the transition into the object's current status.",
                        object -> object.path("reason").asString("")),
                Column.text("Object", "The object that this event is about.", EventTable::involved),
                Column.text(
                                "Subobject",
                                "If referring to a piece of an object instead of an entire object,"
                                    + " this string should contain a valid JSON/Go field access"
                                    + " statement, such as desiredState.manifest.containers[2]. For"
                                    + " example, if the object reference is to a container within a"
                                    + " pod, this would take on a value like:"
                                    + " \"spec.containers{name}\" (where \"name\" refers to the"
                                    + " name of the container that triggered the event) or if no"
                                    + " container name is specified \"spec.containers[2]\""
                                    + " (container with index 2 in this pod). This syntax is chosen"
                                    + " only to have some well-defined way of referencing a part of"
                                    + " an object.",
                                object -> object.at("/involvedObject/fieldPath").asString(""))
                        .wide(),
                Column.text(
                                "Source",
                                "The component reporting this event. Should be a short machine"
                                        + " understandable string.",
                                EventTable::source)
                        .wide(),
                Column.text(
                        "Message",
                        "A human-readable description of the status of this operation.",
                        object -> object.path("message").asString("").strip()),
                Column.timed(
                                "First Seen",
                                "The time at which the event was first recorded. (Time of server"
                                        + " receipt is in TypeMeta.)",
                                EventTable::firstSeen)
                        .wide(),
                Column.count(
                                "Count",
                                "The number of times this event has occurred.",
                                EventTable::count)
                        .wide(),
                Column.named().wide());
    }

    /** Events of the newer kind have a time and a series instead of two times and a count. */
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
                Texts.or(
                        event.at("/source/component").asString(""),
                        event.path("reportingComponent").asString(""));
        String instance =
                Texts.or(
                        event.at("/source/host").asString(""),
                        event.path("reportingInstance").asString(""));
        return instance.isEmpty() ? component : component + ", " + instance;
    }

    private static boolean isSet(JsonNode timestamp) {
        return !timestamp.asString("").isEmpty();
    }
}
