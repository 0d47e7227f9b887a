package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.feature.table.CellText.HumanDuration;

import tools.jackson.databind.JsonNode;

/** Cells of nodes and events. */
final class ClusterCells {

    private static final String ROLE = "kubernetes.io/role";
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";

    private ClusterCells() {}

    /** Returns whether a node is ready and accepts pods. */
    static String status(JsonNode node) {
        String ready =
                switch (CellText.condition(node.path("status"), "Ready")) {
                    case "True" -> "Ready";
                    case "" -> "Unknown";
                    default -> "NotReady";
                };
        return node.at("/spec/unschedulable").asBoolean(false)
                ? ready + ",SchedulingDisabled"
                : ready;
    }

    /**
     * Returns the roles of a node. A role is the value of one label, or the rest of a label key
     * after a prefix.
     */
    static String roles(JsonNode labels) {
        return CellText.orNone(
                labels.propertyStream()
                        .map(label -> role(label.getKey(), label.getValue()))
                        .filter(role -> !role.isEmpty())
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining(",")));
    }

    private static String role(String label, JsonNode value) {
        if (label.startsWith(ROLE_PREFIX)) {
            return label.substring(ROLE_PREFIX.length());
        }
        return label.equals(ROLE) ? value.asString("") : "";
    }

    /** Returns the first address of a type. */
    static String address(JsonNode addresses, String type) {
        return CellText.first(addresses, type).path("address").asString(CellText.NONE);
    }

    /**
     * Returns the time since an event was first seen. Events of the newer API have a time and a
     * series instead of two times and a count.
     */
    static String firstSeen(JsonNode event, Instant now) {
        JsonNode first = event.path("firstTimestamp");
        return HumanDuration.since(first.isString() ? first : event.path("eventTime"), now);
    }

    /** Returns the time since an event was last seen. */
    static String lastSeen(JsonNode event, Instant now) {
        JsonNode series = event.path("series");
        if (series.isObject()) {
            return HumanDuration.since(series.path("lastObservedTime"), now);
        }
        JsonNode last = event.path("lastTimestamp");
        return last.isString() ? HumanDuration.since(last, now) : firstSeen(event, now);
    }

    /** Returns how often an event occurred. */
    static long count(JsonNode event) {
        JsonNode series = event.path("series");
        return series.isObject()
                ? series.path("count").asLong(0)
                : Math.max(1, event.path("count").asLong(0));
    }

    /** Returns the object that an event is about. */
    static String involved(JsonNode object) {
        String kind = object.path("kind").asString("").toLowerCase(Locale.ROOT);
        String name = object.path("name").asString("");
        return name.isEmpty() ? kind : kind + "/" + name;
    }

    /** Returns who reported an event. */
    static String source(JsonNode event) {
        JsonNode source = event.path("source");
        String reporter = event.path("reportingComponent").asString("");
        String component = CellText.or(source.path("component").asString(""), reporter);
        String instance =
                CellText.or(
                        source.path("host").asString(""),
                        event.path("reportingInstance").asString(""));
        return instance.isEmpty() ? component : component + ", " + instance;
    }
}
