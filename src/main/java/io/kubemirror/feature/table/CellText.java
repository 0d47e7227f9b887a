package io.kubemirror.feature.table;

import module java.base;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Formats members of objects as kubectl does. */
final class CellText {

    static final String NONE = "<none>";
    static final String UNKNOWN = "<unknown>";
    static final String UNSET = "<unset>";
    static final String INVALID = "<invalid>";

    private CellText() {}

    /** Returns the text, or {@code <none>} if it is empty. */
    static String orNone(String text) {
        return or(text, NONE);
    }

    /** Returns the text, or another text if it is empty. */
    static String or(String text, String other) {
        return text.isEmpty() ? other : text;
    }

    /** Returns the given member of each element, separated by commas. */
    static String each(JsonNode elements, String member) {
        return elements.valueStream()
                .map(element -> element.path(member).asString(""))
                .collect(Collectors.joining(","));
    }

    /** Formats a map of labels, sorted by key. */
    static String labels(JsonNode labels) {
        return orNone(
                labels.propertyStream()
                        .map(CellText::equality)
                        .sorted()
                        .collect(Collectors.joining(",")));
    }

    /** Formats a label selector as in a query, sorted by key. */
    static String selector(JsonNode selector) {
        return Stream.concat(
                        selector.path("matchLabels")
                                .propertyStream()
                                .map(label -> Map.entry(label.getKey(), equality(label))),
                        selector.path("matchExpressions")
                                .valueStream()
                                .map(it -> Map.entry(it.path("key").asString(""), requirement(it))))
                .sorted(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .collect(Collectors.joining(","));
    }

    private static String requirement(JsonNode expression) {
        String key = expression.path("key").asString("");
        String values =
                expression
                        .path("values")
                        .valueStream()
                        .map(value -> value.asString(""))
                        .sorted()
                        .collect(Collectors.joining(",", " (", ")"));
        return switch (expression.path("operator").asString("")) {
            case "In" -> key + " in" + values;
            case "NotIn" -> key + " notin" + values;
            case "Exists" -> key;
            case "DoesNotExist" -> "!" + key;
            default -> "<error>";
        };
    }

    /** Returns whether a status has a condition of the type with the status true. */
    static boolean isTrue(JsonNode status, String type) {
        return condition(status, type).equals("True");
    }

    /** Returns the status of the condition of a type, empty if there is none. */
    static String condition(JsonNode status, String type) {
        return first(status.path("conditions"), type).path("status").asString("");
    }

    /** Returns the first element of a type, a missing node if there is none. */
    static JsonNode first(JsonNode elements, String type) {
        return elements.valueStream()
                .filter(element -> element.path("type").asString("").equals(type))
                .findFirst()
                .orElse(MissingNode.getInstance());
    }

    private static String equality(Map.Entry<String, JsonNode> label) {
        return label.getKey() + "=" + label.getValue().asString("");
    }

    /** Formats durations as kubectl does. Shorter durations are shown more precisely. */
    static final class HumanDuration {

        private static final long YEAR = 365;

        /** The longest duration of Go. */
        private static final Duration MAX = Duration.ofNanos(Long.MAX_VALUE);

        private HumanDuration() {}

        /** Formats the time since a timestamp, {@code <unknown>} for none. */
        static String since(JsonNode timestamp, Instant now) {
            return parse(timestamp.asString("")).map(time -> between(time, now)).orElse(UNKNOWN);
        }

        /** Formats the time between two instants, which is at most the longest duration of Go. */
        static String between(Instant time, Instant now) {
            Duration duration = Duration.between(time, now);
            return of(duration.compareTo(MAX) > 0 ? MAX : duration);
        }

        /** Parses a timestamp of an object; empty if it is invalid. */
        static Optional<Instant> parse(String timestamp) {
            try {
                return timestamp.isEmpty()
                        ? Optional.empty()
                        : Optional.of(Instant.parse(timestamp));
            } catch (DateTimeException malformed) {
                return Optional.empty();
            }
        }

        /**
         * Formats a duration with at most two units. A duration down to minus one second counts as
         * zero, because clocks may differ.
         */
        static String of(Duration duration) {
            // Go rounds toward zero, whereas Java rounds down.
            long seconds =
                    duration.isNegative() ? -duration.negated().toSeconds() : duration.toSeconds();
            if (seconds < -1) {
                return INVALID;
            }
            long minutes = seconds / 60;
            long hours = minutes / 60;
            if (minutes < 2) {
                return Math.max(0, seconds) + "s";
            }
            if (hours < 8) {
                return minutes < 10
                        ? two(minutes, "m", seconds % 60, "s")
                        : hours < 3 ? minutes + "m" : two(hours, "h", minutes % 60, "m");
            }
            return hours < 48 ? hours + "h" : ofDays(hours / 24, hours % 24);
        }

        private static String ofDays(long days, long hours) {
            if (days < 8) {
                return two(days, "d", hours, "h");
            }
            long years = days / YEAR;
            if (years < 2) {
                return days + "d";
            }
            return years < 8 ? two(years, "y", days % YEAR, "d") : years + "y";
        }

        private static String two(long first, String unit, long second, String smallerUnit) {
            return first + unit + (second == 0 ? "" : second + smallerUnit);
        }
    }
}
