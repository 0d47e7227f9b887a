package io.kubemirror.feature.table;

import tools.jackson.databind.JsonNode;

import java.util.stream.Collectors;

/** The columns of nodes. */
final class NodeTable {

    private static final String ROLE = "kubernetes.io/role";
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";

    private NodeTable() {}

    static TableFormat format() {
        return TableFormat.of(
                "nodes",
                Column.named(),
                Column.text("Status", NodeTable::status),
                Column.text("Roles", NodeTable::roles),
                Column.age(),
                Column.text("Version", "/status/nodeInfo/kubeletVersion"),
                Column.text("Internal-IP", node -> address(node, "InternalIP")).wide(),
                Column.text("External-IP", node -> address(node, "ExternalIP")).wide(),
                Column.text("OS-Image", node -> info(node, "osImage")).wide(),
                Column.text("Kernel-Version", node -> info(node, "kernelVersion")).wide(),
                Column.text("Container-Runtime", node -> info(node, "containerRuntimeVersion"))
                        .wide());
    }

    private static String status(JsonNode node) {
        String ready =
                switch (CellText.condition(node.path("status"), "Ready")) {
                    case "True" -> "Ready";
                    case "" -> "Unknown";
                    default -> "NotReady";
                };
        return node.at("/spec/unschedulable").asBoolean(false)
                ? ready + ",SchedulingDisabled"
                : ready;
    }

    /**
     * Returns the roles of a node. A role is the value of one label, or the rest of a label key
     * after a prefix.
     */
    private static String roles(JsonNode node) {
        return CellText.orNone(
                node.at("/metadata/labels")
                        .propertyStream()
                        .map(
                                label ->
                                        label.getKey().startsWith(ROLE_PREFIX)
                                                ? label.getKey().substring(ROLE_PREFIX.length())
                                                : label.getKey().equals(ROLE)
                                                        ? label.getValue().asString("")
                                                        : "")
                        .filter(role -> !role.isEmpty())
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining(",")));
    }

    private static String address(JsonNode node, String type) {
        return node.at("/status/addresses")
                .valueStream()
                .filter(address -> address.path("type").asString("").equals(type))
                .map(address -> address.path("address").asString(""))
                .findFirst()
                .orElse(CellText.NONE);
    }

    private static String info(JsonNode node, String member) {
        return CellText.or(
                node.path("status").path("nodeInfo").path(member).asString(""), CellText.UNKNOWN);
    }
}
