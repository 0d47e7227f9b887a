package io.kubemirror.feature.table;

import module java.base;

import tools.jackson.databind.JsonNode;

/** Cells of what administrators set up, and of what users see less often. */
final class ClusterCells {

    /** The cells by their kind. */
    static final Map<String, Function<JsonNode, String>> CELLS =
            Map.of("endpoints", ClusterCells::endpoints);

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
}
