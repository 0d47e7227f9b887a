package io.kubemirror.deploy;

import module java.base;

import tools.jackson.databind.JsonNode;

/** The image that the chart uses by default. */
final class ReleasedImage {

    private static final Path CHART = Path.of("helm/kubemirror");

    private ReleasedImage() {}

    /** The name with the registry, without a tag. */
    static String name() {
        return YamlTrees.file(CHART.resolve("values.yaml")).at("/image/repository").asString();
    }

    static String version() {
        JsonNode chart = YamlTrees.file(CHART.resolve("Chart.yaml"));
        return chart.path("appVersion").asString();
    }

    /** Name and tag. */
    static String reference() {
        return name() + ":" + version();
    }
}
