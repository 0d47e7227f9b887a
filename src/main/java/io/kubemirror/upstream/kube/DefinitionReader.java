package io.kubemirror.upstream.kube;

import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableField;
import io.kubemirror.upstream.PrinterColumn;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.stream.Stream;

/** Reads columns and selectable fields out of the definition of a custom resource. */
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
        return declared(definition, version, "additionalPrinterColumns")
                .map(DefinitionReader::column)
                .toList();
    }

    /** The fields that a version declares as selectable, which may be none. */
    static List<SelectableField> selectable(JsonNode definition, String version) {
        return declared(definition, version, "selectableFields")
                .map(field -> text(field, "jsonPath"))
                .flatMap(DefinitionReader::field)
                .toList();
    }

    /** A path that we cannot read is none that the API server would select by. */
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
