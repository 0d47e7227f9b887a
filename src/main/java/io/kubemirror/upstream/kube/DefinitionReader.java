package io.kubemirror.upstream.kube;

import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableField;
import io.kubemirror.upstream.ResourceDefinition.PrinterColumn;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.stream.Stream;

/** Reads columns and selectable fields from the definition of a custom resource. */
final class DefinitionReader {

    private DefinitionReader() {}

    /** Returns the path of the definition of a type. */
    static String path(ResourceType type) {
        return "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
                + type.plural()
                + "."
                + type.group();
    }

    /** Returns the columns that a version declares, possibly none. */
    static List<PrinterColumn> columns(JsonNode definition, String version) {
        return declared(definition, version, "additionalPrinterColumns")
                .map(DefinitionReader::column)
                .toList();
    }

    /** Returns the fields that a version declares as selectable, possibly none. */
    static List<SelectableField> selectable(JsonNode definition, String version) {
        return declared(definition, version, "selectableFields")
                .map(field -> text(field, "jsonPath"))
                .flatMap(DefinitionReader::field)
                .toList();
    }

    /**
     * Parses a path. A path that is not supported here is not supported by the API server either,
     * so it is skipped.
     */
    private static Stream<SelectableField> field(String path) {
        try {
            return Stream.of(SelectableField.at(path));
        } catch (IllegalArgumentException unreadable) {
            return Stream.empty();
        }
    }

    private static Stream<JsonNode> declared(JsonNode definition, String version, String what) {
        return definition
                .path("spec")
                .path("versions")
                .valueStream()
                .filter(candidate -> text(candidate, "name").equals(version))
                .limit(1)
                .flatMap(found -> found.path(what).valueStream());
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
