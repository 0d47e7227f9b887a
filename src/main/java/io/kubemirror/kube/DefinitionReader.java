package io.kubemirror.kube;

import io.kubemirror.model.ResourceType;

import tools.jackson.databind.JsonNode;

import java.util.List;

/** Reads the columns out of the definition of a custom resource. */
final class DefinitionReader {

    private DefinitionReader() {}

    /** The path of the definition of a type. */
    static String path(ResourceType type) {
        return "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
                + type.plural()
                + "."
                + type.group();
    }

    /** The columns that a version declares, which may be none. */
    static List<PrinterColumn> columns(JsonNode definition, String version) {
        return definition
                .path("spec")
                .path("versions")
                .valueStream()
                .filter(candidate -> text(candidate, "name").equals(version))
                .findFirst()
                .map(found -> found.path("additionalPrinterColumns"))
                .map(columns -> columns.valueStream().map(DefinitionReader::column).toList())
                .orElse(List.of());
    }

    private static PrinterColumn column(JsonNode column) {
        String path = text(column, "jsonPath");
        String description = text(column, "description");
        return new PrinterColumn(
                text(column, "name"),
                text(column, "type"),
                text(column, "format"),
                description.isEmpty()
                        ? "Custom resource definition column (in JSONPath format): " + path
                        : description,
                column.path("priority").asInt(0),
                path);
    }

    private static String text(JsonNode node, String name) {
        return node.path(name).asString("");
    }
}
