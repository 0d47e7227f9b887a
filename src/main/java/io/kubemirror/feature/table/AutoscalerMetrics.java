package io.kubemirror.feature.table;

import module java.base;

import tools.jackson.databind.JsonNode;

/** The metrics of horizontal pod autoscalers. */
final class AutoscalerMetrics {

    /** The version whose objects have most metrics in annotations, and other members. */
    static final String OLDER = "autoscaling/v1";

    private static final int SHOWN = 2;

    /** What the API server shows for a value that it has no quantity of. */
    private static final String NIL = "<nil>";

    private AutoscalerMetrics() {}

    /** Returns the first metrics, and the number of the others. */
    static String text(JsonNode scaler) {
        JsonNode specs = scaler.at("/spec/metrics");
        JsonNode statuses = scaler.at("/status/currentMetrics");
        List<String> metrics =
                IntStream.range(0, specs.size())
                        .mapToObj(i -> metric(specs.path(i), statuses.path(i)))
                        .toList();
        return CellText.orNone(CellText.abridged(metrics, SHOWN, ", "));
    }

    /** Returns the current value of a metric and its target, each in the unit of the target. */
    private static String metric(JsonNode spec, JsonNode status) {
        String type = spec.path("type").asString("");
        JsonNode metric = spec.path(member(type));
        JsonNode target = metric.path("target");
        JsonNode measured = status.path(member(type));
        boolean average = target.has("averageValue");
        return switch (type) {
            case "External", "Object" ->
                    average
                            ? ratio(measured, target, "averageValue", CellText.UNKNOWN) + " (avg)"
                            : ratio(measured, target, "value", NIL);
            case "Pods" -> ratio(measured, target, "averageValue", NIL);
            case "Resource", "ContainerResource" ->
                    metric.path("name").asString("")
                            + ": "
                            + (average
                                    ? ratio(measured, target, "averageValue", NIL)
                                    : utilization(measured.path("current"), CellText.UNKNOWN)
                                            + "/"
                                            + utilization(target, "<auto>"));
            default -> "<unknown type>";
        };
    }

    /** Returns the member that has what is specific to a type. */
    private static String member(String type) {
        return type.isEmpty() ? "" : Character.toLowerCase(type.charAt(0)) + type.substring(1);
    }

    private static String ratio(JsonNode measured, JsonNode target, String member, String none) {
        String current =
                measured.isMissingNode()
                        ? CellText.UNKNOWN
                        : measured.path("current").path(member).asString(none);
        return current + "/" + target.path(member).asString(NIL);
    }

    private static String utilization(JsonNode value, String none) {
        JsonNode percentage = value.path("averageUtilization");
        return percentage.isNumber() ? percentage.asLong() + "%" : none;
    }
}
