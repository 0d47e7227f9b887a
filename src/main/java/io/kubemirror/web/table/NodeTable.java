package io.kubemirror.web.table;

import tools.jackson.databind.JsonNode;

import java.util.stream.Collectors;

/** The columns of nodes. */
final class NodeTable {

    private static final String ROLE = "kubernetes.io/role";
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";

    private NodeTable() {}

    static TableFormat format() {
        return TableFormat.of(
                Column.named(),
                Column.text("Status", "The status of the node", NodeTable::status),
                Column.text("Roles", "The roles of the node", NodeTable::roles),
                Column.age(),
                Column.text(
                        "Version",
                        "Kubelet Version reported by the node.",
                        object -> object.at("/status/nodeInfo/kubeletVersion").asString("")),
                Column.text(
                                "Internal-IP",
                                "List of addresses reachable to the node. Queried from cloud"
                                    + " provider, if available. More info:"
                                    + " https://kubernetes.io/docs/reference/node/node-status/#addresses"
                                    + " Note: This field is declared as mergeable, but the merge"
                                    + " key is not sufficiently unique, which can cause data"
                                    + " corruption when it is merged. Callers should instead use a"
                                    + " full-replacement patch. See https://pr.k8s.io/79391 for an"
                                    + " example. Consumers should assume that addresses can change"
                                    + " during the lifetime of a Node. However, there are some"
                                    + " exceptions where this may not be possible, such as Pods"
                                    + " that inherit a Node's address in its own status or"
                                    + " consumers of the downward API (status.hostIP).",
                                object -> address(object, "InternalIP"))
                        .wide(),
                Column.text(
                                "External-IP",
                                "List of addresses reachable to the node. Queried from cloud"
                                    + " provider, if available. More info:"
                                    + " https://kubernetes.io/docs/reference/node/node-status/#addresses"
                                    + " Note: This field is declared as mergeable, but the merge"
                                    + " key is not sufficiently unique, which can cause data"
                                    + " corruption when it is merged. Callers should instead use a"
                                    + " full-replacement patch. See https://pr.k8s.io/79391 for an"
                                    + " example. Consumers should assume that addresses can change"
                                    + " during the lifetime of a Node. However, there are some"
                                    + " exceptions where this may not be possible, such as Pods"
                                    + " that inherit a Node's address in its own status or"
                                    + " consumers of the downward API (status.hostIP).",
                                object -> address(object, "ExternalIP"))
                        .wide(),
                Column.text(
                                "OS-Image",
                                "OS Image reported by the node from /etc/os-release (e.g. Debian"
                                        + " GNU/Linux 7 (wheezy)).",
                                object -> info(object, "osImage"))
                        .wide(),
                Column.text(
                                "Kernel-Version",
                                "Kernel Version reported by the node from 'uname -r' (e.g."
                                        + " 3.16.0-0.bpo.4-amd64).",
                                object -> info(object, "kernelVersion"))
                        .wide(),
                Column.text(
                                "Container-Runtime",
                                "ContainerRuntime Version reported by the node through runtime"
                                        + " remote API (e.g. containerd://1.4.2).",
                                object -> info(object, "containerRuntimeVersion"))
                        .wide());
    }

    private static String status(JsonNode node) {
        String ready =
                switch (Conditions.status(node.path("status"), "Ready")) {
                    case "True" -> "Ready";
                    case "" -> "Unknown";
                    default -> "NotReady";
                };
        return node.at("/spec/unschedulable").asBoolean(false)
                ? ready + ",SchedulingDisabled"
                : ready;
    }

    /** A role is a label's value, or what stands behind a label's prefix. */
    private static String roles(JsonNode node) {
        return Texts.orNone(
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
                .orElse(Texts.NONE);
    }

    private static String info(JsonNode node, String member) {
        return Texts.or(
                node.path("status").path("nodeInfo").path(member).asString(""), Texts.UNKNOWN);
    }
}
