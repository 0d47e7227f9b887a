package io.kubemirror.deploy;

import module java.base;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The rules and the dashboard of the chart. */
final class Monitoring {

    static final Path ALERTS = Path.of("helm/kubemirror/alerts.yaml");
    static final Path RECORDING_RULES = Path.of("helm/kubemirror/recording-rules.yaml");
    static final Path CONFIGURATION = Path.of("helm/kubemirror/prometheus.yml");
    static final Path DASHBOARD = Path.of("helm/kubemirror/dashboard.json");

    private Monitoring() {}

    static List<JsonNode> alerts() {
        return YamlTrees.file(ALERTS).at("/groups/0/rules").valueStream().toList();
    }

    static List<PromQuery> queriesOfAlerts() {
        return queries(YamlTrees.file(ALERTS));
    }

    static List<PromQuery> queriesOfRecordingRules() {
        return queries(YamlTrees.file(RECORDING_RULES));
    }

    static List<PromQuery> queriesOfDashboard() {
        return queries(YamlTrees.file(DASHBOARD));
    }

    private static List<PromQuery> queries(ObjectNode owner) {
        return owner.findValues("expr").stream()
                .map(node -> new PromQuery(node.asString()))
                .toList();
    }
}
