package io.kubemirror.deploy;

import module java.base;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The objects that a chart renders.
 *
 * @param manifests the objects, in Helm's order
 */
public record RenderedChart(List<ObjectNode> manifests) {

    static RenderedChart of(String yaml) {
        return new RenderedChart(YamlTrees.documents(yaml));
    }

    /** The kinds, as often as there are manifests of them. */
    List<String> kinds() {
        return manifests.stream().map(manifest -> manifest.path("kind").asString()).toList();
    }

    /** All of a kind. */
    List<ObjectNode> all(String kind) {
        return manifests.stream()
                .filter(manifest -> manifest.path("kind").asString().equals(kind))
                .toList();
    }

    /** The only one of a kind. */
    ObjectNode only(String kind) {
        List<ObjectNode> all = all(kind);
        if (all.size() != 1) {
            throw new AssertionError(all.size() + " of kind " + kind + " among " + kinds());
        }
        return all.getFirst();
    }

    /** What the process reads. */
    String application() {
        return all("ConfigMap").stream()
                .map(manifest -> manifest.at("/data/application.yaml"))
                .filter(JsonNode::isString)
                .findFirst()
                .orElseThrow()
                .asString();
    }

    /** The spec of the pods that the mirror runs in, of a workload of any kind. */
    JsonNode podSpec() {
        return workload().orElseThrow().at("/spec/template/spec");
    }

    /** The container of the mirror. */
    JsonNode container() {
        return Stream.of("initContainers", "containers")
                .flatMap(kind -> podSpec().path(kind).valueStream())
                .filter(container -> container.path("name").asString().equals("kubemirror"))
                .findFirst()
                .orElseThrow();
    }

    Optional<ObjectNode> workload() {
        return manifests.stream()
                .filter(manifest -> manifest.at("/spec/template/spec").isObject())
                .findFirst();
    }
}
