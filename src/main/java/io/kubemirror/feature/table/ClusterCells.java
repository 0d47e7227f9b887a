package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.feature.table.CellText.HumanDuration;

import tools.jackson.databind.JsonNode;

/** Cells of what administrators set up, and of what users see less often. */
final class ClusterCells {

    /** The cells by their kind. */
    static final Map<String, Function<JsonNode, String>> CELLS =
            Map.ofEntries(
                    Map.entry("available", ClusterCells::available),
                    Map.entry("controller", ClusterCells::controller),
                    Map.entry("decision", ClusterCells::decision),
                    Map.entry("duration", ClusterCells::duration),
                    Map.entry("endpoints", ClusterCells::endpoints),
                    Map.entry("limits", quota -> usage(quota, true)),
                    Map.entry("metrics", AutoscalerMetrics::text),
                    Map.entry("parameter", ClusterCells::parameter),
                    Map.entry("parameters", it -> reference(it, "kind", "apiGroup")),
                    Map.entry("parent", it -> reference(it, "resource", "group")),
                    Map.entry("qualified", it -> qualified(it, "resource", "group")),
                    Map.entry("requests", quota -> usage(quota, false)),
                    Map.entry("state", ClusterCells::state));

    private ClusterCells() {}

    /** Returns the subjects of one kind. */
    static String subjects(JsonNode subjects, String kind) {
        String members = kind.equals("ServiceAccount") ? "namespace,name" : "name";
        return subjects.valueStream()
                .filter(subject -> subject.path("kind").asString("").equals(kind))
                .map(subject -> CellText.path(subject, members))
                .collect(Collectors.joining(", "));
    }

    private static String endpoints(JsonNode subsets) {
        return subsets.isEmpty()
                ? CellText.NONE
                : CellText.abridged(
                        subsets.valueStream().flatMap(ClusterCells::addresses).toList());
    }

    /** Returns each address with each port, or alone if there are no ports. */
    private static Stream<String> addresses(JsonNode subset) {
        List<String> ports =
                subset.path("ports").valueStream().map(it -> it.path("port").asString("")).toList();
        return (ports.isEmpty() ? List.of("") : ports)
                .stream()
                        .flatMap(
                                port ->
                                        subset.path("addresses")
                                                .valueStream()
                                                .map(it -> address(it.path("ip"), port)));
    }

    private static String address(JsonNode address, String port) {
        String ip = address.asString("");
        return port.isEmpty() ? ip : (ip.contains(":") ? "[" + ip + "]:" : ip + ":") + port;
    }

    private static String usage(JsonNode status, boolean limits) {
        return status.path("hard").propertyNames().stream()
                .filter(name -> name.startsWith("limits.") == limits)
                .sorted()
                .map(name -> name + ": " + used(status, name))
                .collect(Collectors.joining(", "));
    }

    private static String used(JsonNode status, String name) {
        return status.path("used").path(name).asString("0")
                + "/"
                + status.path("hard").path(name).asString("");
    }

    private static String parameter(JsonNode reference) {
        String name = reference.path("name").asString("");
        JsonNode selector = reference.path("selector");
        if (name.isEmpty()) {
            return selector.isObject() ? CellText.structure(selector) : CellText.UNSET;
        }
        return CellText.or(reference.path("namespace").asString(""), "*") + "/" + name;
    }

    private static String available(JsonNode object) {
        JsonNode condition = CellText.find(object, "Available");
        String value = condition.path("status").asString("Unknown");
        String reason = condition.path("reason").asString("");
        return value.equals("True") || reason.isEmpty() ? value : value + " (" + reason + ")";
    }

    private static String controller(JsonNode owners) {
        return owners.valueStream()
                .filter(owner -> owner.path("controller").asBoolean(false))
                .map(ClusterCells::owner)
                .findFirst()
                .orElse(CellText.NONE);
    }

    private static String owner(JsonNode owner) {
        String version = owner.path("apiVersion").asString("");
        String group = version.substring(0, Math.max(0, version.indexOf('/')));
        String kind = CellText.joined(".", owner.path("kind").asString(""), group);
        return kind.toLowerCase(Locale.ROOT) + "/" + owner.path("name").asString("");
    }

    private static String duration(JsonNode seconds) {
        return seconds.isNumber()
                ? HumanDuration.of(Duration.ofSeconds(seconds.asLong()))
                : CellText.NONE;
    }

    private static String decision(JsonNode status) {
        String decision =
                Stream.of("Denied", "Approved")
                        .filter(type -> CellText.find(status, type).isObject())
                        .findFirst()
                        .orElse("Pending");
        return CellText.joined(
                ",",
                decision,
                CellText.find(status, "Failed").isObject() ? "Failed" : "",
                status.path("certificate").asString("").isEmpty() ? "" : "Issued");
    }

    /** Returns the last true condition of some types. */
    static String last(JsonNode conditions, String types, String none) {
        List<String> known = List.of(types.split(",", -1));
        return conditions
                .valueStream()
                .filter(condition -> condition.path("status").asString("").equals("True"))
                .map(condition -> condition.path("type").asString(""))
                .filter(known::contains)
                .reduce(none, (_, type) -> type);
    }

    private static String reference(JsonNode reference, String name, String group) {
        return reference.isMissingNode()
                ? CellText.NONE
                : CellText.joined(
                        "/",
                        qualified(reference, name, group),
                        group.equals("group") ? reference.path("namespace").asString("") : "",
                        reference.path("name").asString(""));
    }

    /** Returns the name of a type with its group, if it has one. */
    private static String qualified(JsonNode type, String name, String group) {
        return CellText.joined(".", type.path(name).asString(""), type.path(group).asString(""));
    }

    private static String state(JsonNode claim) {
        JsonNode status = claim.path("status");
        boolean deleted = claim.path("metadata").has("deletionTimestamp");
        boolean allocated = status.path("allocation").isObject();
        return CellText.joined(
                ",",
                deleted ? "deleted" : "",
                allocated ? "allocated" : deleted ? "" : "pending",
                allocated && !status.path("reservedFor").isEmpty() ? "reserved" : "");
    }
}
