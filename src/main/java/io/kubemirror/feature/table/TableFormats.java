package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.feature.table.CellText.HumanDuration;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Source.ResourceDefinition.PrinterColumn;

import tools.jackson.databind.JsonNode;

/** Provides the formats of types whose columns are known (list-watch.md#ne-20 to #ne-22). */
public final class TableFormats {

    private static final PrinterColumn AGE =
            new PrinterColumn(
                    "Age",
                    "date",
                    "",
                    Column.description("*", "Age"),
                    0,
                    ".metadata.creationTimestamp");

    private TableFormats() {}

    /** Returns the format of a built-in type, empty if its columns are not known. */
    public static Optional<TableFormat> ofBuiltIn(ResourceType type) {
        return TableFile.of(type.groupResource());
    }

    /**
     * Returns the format of a custom resource. Without declared columns, it shows the age. The
     * first column with an invalid path ends the columns, as in the API server.
     *
     * @param columns the columns that the definition declares
     */
    public static TableFormat ofCustom(List<PrinterColumn> columns) {
        List<PrinterColumn> shown = columns.isEmpty() ? List.of(AGE) : columns;
        return TableFormat.of(
                Stream.concat(
                        Stream.of(Column.named().described("*")),
                        shown.stream()
                                .map(TableFormats::custom)
                                .takeWhile(Optional::isPresent)
                                .map(Optional::orElseThrow)));
    }

    /**
     * Returns a column that the definition of a custom resource declares (list-watch.md#ne-21),
     * empty if its path is invalid.
     */
    static Optional<Column> custom(PrinterColumn column) {
        return JsonPath.parse(column.jsonPath())
                .map(
                        path ->
                                new Column(
                                        column.name(),
                                        column.type(),
                                        column.format(),
                                        column.description(),
                                        column.priority(),
                                        (object, now) ->
                                                path.first(object)
                                                        .map(
                                                                it ->
                                                                        GoValue.cell(
                                                                                column.type(),
                                                                                it,
                                                                                now))
                                                        .orElse(null)));
    }

    /** Cells of events. */
    static final class EventCells {

        /** The cells by their kind. */
        static final Map<String, Function<JsonNode, String>> CELLS =
                Map.of(
                        "field-path", event -> subject(event, "fieldPath"),
                        "involved", EventCells::involved,
                        "message", EventCells::message,
                        "source", EventCells::source);

        private EventCells() {}

        /** Returns a member, which has another name in the newer API. */
        private static JsonNode either(JsonNode event, String older, String newer) {
            return event.has(older) ? event.path(older) : event.path(newer);
        }

        private static String subject(JsonNode event, String member) {
            return either(event, "involvedObject", "regarding").path(member).asString("");
        }

        private static String message(JsonNode event) {
            return either(event, "message", "note").asString("").strip();
        }

        /**
         * Returns when the event was first seen. Events of the newer API have a time and a series
         * instead of two times and a count.
         */
        static String firstSeen(JsonNode event, Instant now) {
            JsonNode first = either(event, "firstTimestamp", "deprecatedFirstTimestamp");
            return HumanDuration.since(isSet(first) ? first : event.path("eventTime"), now);
        }

        static String lastSeen(JsonNode event, Instant now) {
            JsonNode series = event.path("series");
            if (series.isObject()) {
                return HumanDuration.since(series.path("lastObservedTime"), now);
            }
            JsonNode last = either(event, "lastTimestamp", "deprecatedLastTimestamp");
            return isSet(last) ? HumanDuration.since(last, now) : firstSeen(event, now);
        }

        static long count(JsonNode event) {
            JsonNode series = event.path("series");
            long count = either(event, "count", "deprecatedCount").asLong(0);
            return series.isObject() ? series.path("count").asLong(0) : Math.max(1, count);
        }

        private static String involved(JsonNode event) {
            String kind = subject(event, "kind").toLowerCase(Locale.ROOT);
            String name = subject(event, "name");
            return name.isEmpty() ? kind : kind + "/" + name;
        }

        private static String source(JsonNode event) {
            JsonNode source = either(event, "source", "deprecatedSource");
            String reporter =
                    either(event, "reportingComponent", "reportingController").asString("");
            String component = CellText.or(source.path("component").asString(""), reporter);
            String instance =
                    CellText.or(
                            source.path("host").asString(""),
                            event.path("reportingInstance").asString(""));
            return instance.isEmpty() ? component : component + ", " + instance;
        }

        private static boolean isSet(JsonNode timestamp) {
            return !timestamp.asString("").isEmpty();
        }
    }

    /** Cells of nodes. */
    static final class NodeCells {

        /** The cells by their kind. */
        static final Map<String, Function<JsonNode, String>> CELLS =
                Map.of("node-status", NodeCells::status, "roles", NodeCells::roles);

        private static final String ROLE = "kubernetes.io/role";
        private static final String ROLE_PREFIX = "node-role.kubernetes.io/";

        private NodeCells() {}

        private static String status(JsonNode node) {
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
        private static String roles(JsonNode labels) {
            return CellText.orNone(
                    labels.propertyStream()
                            .map(
                                    label ->
                                            label.getKey().startsWith(ROLE_PREFIX)
                                                    ? label.getKey().substring(ROLE_PREFIX.length())
                                                    : label.getKey().equals(ROLE)
                                                            ? label.getValue().asString("")
                                                            : "")
                            .filter(role -> !role.isEmpty())
                            .distinct()
                            .sorted()
                            .collect(Collectors.joining(",")));
        }

        /** Returns the first address of a type. */
        static String address(JsonNode addresses, String type) {
            return addresses
                    .valueStream()
                    .filter(address -> address.path("type").asString("").equals(type))
                    .map(address -> address.path("address").asString(""))
                    .findFirst()
                    .orElse(CellText.NONE);
        }
    }
}
