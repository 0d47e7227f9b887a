package io.kubemirror.deploy;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Path;
import java.util.List;

/** The alerts and the dashboard of the chart. */
final class Monitoring {

    static final Path ALERTS = Path.of("helm/kubemirror/alerts.yaml");
    static final Path DASHBOARD = Path.of("helm/kubemirror/dashboard.json");

    private Monitoring() {}

    static List<JsonNode> alerts() {
        return Yaml.file(ALERTS).at("/groups/0/rules").valueStream().toList();
    }

    static List<Query> queriesOfAlerts() {
        return queries(Yaml.file(ALERTS));
    }

    static List<Query> queriesOfDashboard() {
        return queries(Yaml.file(DASHBOARD));
    }

    private static List<Query> queries(ObjectNode owner) {
        return owner.findValues("expr").stream().map(node -> new Query(node.asString())).toList();
    }
}
