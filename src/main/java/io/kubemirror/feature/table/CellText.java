package io.kubemirror.feature.table;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Formats members of objects as kubectl does. */
final class CellText {

    static final String NONE = "<none>";
    static final String UNKNOWN = "<unknown>";
    static final String UNSET = "<unset>";

    /** The number of list elements that are shown. */
    private static final int SHOWN = 3;

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
        return orNone(String.join(",", equalities(labels)));
    }

    /** Returns all elements, or the first few and the number of the others. */
    static String abridged(List<String> elements) {
        if (elements.size() > SHOWN) {
            return String.join(",", elements.subList(0, SHOWN))
                    + " + "
                    + (elements.size() - SHOWN)
                    + " more...";
        }
        return or(String.join(",", elements), UNSET);
    }

    /** Formats a label selector as in a query, sorted by key. */
    static String selector(JsonNode selector) {
        TreeMap<String, List<String>> byKey = new TreeMap<>();
        selector.path("matchLabels")
                .properties()
                .forEach(
                        label ->
                                byKey.computeIfAbsent(label.getKey(), _ -> new ArrayList<>())
                                        .add(label.getKey() + "=" + label.getValue().asString("")));
        for (JsonNode expression : selector.path("matchExpressions")) {
            byKey.computeIfAbsent(expression.path("key").asString(""), _ -> new ArrayList<>())
                    .add(requirement(expression));
        }
        return byKey.values().stream().flatMap(List::stream).collect(Collectors.joining(","));
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
        return status.path("conditions")
                .valueStream()
                .filter(condition -> condition.path("type").asString("").equals(type))
                .map(condition -> condition.path("status").asString(""))
                .findFirst()
                .orElse("");
    }

    private static List<String> equalities(JsonNode labels) {
        return labels.propertyStream()
                .map(label -> label.getKey() + "=" + label.getValue().asString(""))
                .sorted()
                .toList();
    }
}
