package io.kubemirror.clients;

import module java.base;

import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.JsonNode;

/** The cache of a client in another process, which reports its content with each event. */
final class ReportedCache {

    private final ReportedPods reportedPods;
    private volatile Map<String, String> held = Map.of();

    ReportedCache(ReportedPods reportedPods) {
        this.reportedPods = reportedPods;
    }

    /** Returns the last reported content. */
    Map<String, String> held() {
        return held;
    }

    /** Records an event, a JSON object on one line. */
    void tell(String line) {
        JsonNode event = JsonTrees.parse(line);
        Map<String, String> told = new TreeMap<>();
        event.path("held").forEachEntry((name, revision) -> told.put(name, revision.asString()));
        held = told;
        String name = event.path("name").asString();
        String revision = event.path("revision").asString();
        switch (event.path("type").asString()) {
            case "add" -> reportedPods.added(name, revision);
            case "update" -> reportedPods.changed(name, revision);
            case "delete" -> reportedPods.deleted(name);
            default -> throw new IllegalStateException(line);
        }
    }
}
