package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.feature.table.TableFormat.RowCondition;

import tools.jackson.databind.JsonNode;

/** Cells of built-in types that show more than one member. */
final class BuiltInCells {

    private static final String ROLE = "kubernetes.io/role";
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";

    private BuiltInCells() {}

    /** Returns whether a node is ready and accepts pods. */
    static String nodeStatus(JsonNode node) {
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
    static String roles(JsonNode labels) {
        return CellText.orNone(
                labels.propertyStream()
                        .map(label -> role(label.getKey(), label.getValue()))
                        .filter(role -> !role.isEmpty())
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining(",")));
    }

    private static String role(String label, JsonNode value) {
        if (label.startsWith(ROLE_PREFIX)) {
            return label.substring(ROLE_PREFIX.length());
        }
        return label.equals(ROLE) ? value.asString("") : "";
    }

    /** Returns the first address of a type. */
    static String address(JsonNode addresses, String type) {
        return CellText.first(addresses, type).path("address").asString(CellText.NONE);
    }

    /** Returns the object that an event is about. */
    static String involved(JsonNode object) {
        String kind = object.path("kind").asString("").toLowerCase(Locale.ROOT);
        String name = object.path("name").asString("");
        return name.isEmpty() ? kind : kind + "/" + name;
    }

    /** Returns who reported an event. */
    static String source(JsonNode event) {
        JsonNode source = event.path("source");
        String reporter = event.path("reportingComponent").asString("");
        String component = CellText.or(source.path("component").asString(""), reporter);
        String instance =
                CellText.or(
                        source.path("host").asString(""),
                        event.path("reportingInstance").asString(""));
        return instance.isEmpty() ? component : component + ", " + instance;
    }

    /** Returns how many readiness gates of a pod are open. */
    static String readinessGates(JsonNode pod) {
        JsonNode gates = pod.path("spec").path("readinessGates");
        int open = 0;
        for (JsonNode gate : gates) {
            String type = gate.path("conditionType").asString("");
            open += CellText.isTrue(pod.path("status"), type) ? 1 : 0;
        }
        return gates.isEmpty() ? CellText.NONE : open + "/" + gates.size();
    }

    /** Returns a condition for completed pods, so that clients can hide them. */
    static Optional<RowCondition> completion(JsonNode pod) {
        return switch (pod.at("/status/phase").asString("")) {
            case "Succeeded" -> completed("Succeeded", "The pod has completed successfully.");
            case "Failed" -> completed("Failed", "The pod failed.");
            default -> Optional.empty();
        };
    }

    private static Optional<RowCondition> completed(String reason, String message) {
        return Optional.of(new RowCondition("Completed", "True", reason, message));
    }

    /** Returns how many replicas of a workload are ready. */
    static String ready(JsonNode workload) {
        return number(workload, "/status/readyReplicas") + "/" + number(workload, "/spec/replicas");
    }

    private static long number(JsonNode object, String pointer) {
        return object.at(pointer).asLong(0);
    }

    /** Returns whether a cron job is suspended. */
    static String suspended(JsonNode suspend) {
        return suspend.isBoolean() ? (suspend.asBoolean() ? "True" : "False") : CellText.UNSET;
    }

    /** Returns the addresses at which a service can be reached from outside. */
    static String externalIp(JsonNode service) {
        List<String> declared =
                service.at("/spec/externalIPs").valueStream().map(ip -> ip.asString("")).toList();
        return switch (service.at("/spec/type").asString("")) {
            case "ClusterIP", "NodePort" -> CellText.orNone(String.join(",", declared));
            case "LoadBalancer" ->
                    CellText.or(
                            Stream.concat(balanced(service), declared.stream())
                                    .collect(Collectors.joining(",")),
                            "<pending>");
            case "ExternalName" -> service.at("/spec/externalName").asString("");
            default -> CellText.UNKNOWN;
        };
    }

    private static Stream<String> balanced(JsonNode service) {
        return service.at("/status/loadBalancer/ingress")
                .valueStream()
                .map(
                        ingress ->
                                CellText.or(
                                        ingress.path("ip").asString(""),
                                        ingress.path("hostname").asString("")))
                .filter(address -> !address.isEmpty())
                .distinct()
                .sorted();
    }

    /** Returns the ports of a service. */
    static String servicePorts(JsonNode ports) {
        return CellText.orNone(
                ports.valueStream()
                        .map(BuiltInCells::servicePort)
                        .collect(Collectors.joining(",")));
    }

    private static String servicePort(JsonNode port) {
        long onNodes = port.path("nodePort").asLong(0);
        return port.path("port").asLong(0)
                + (onNodes > 0 ? ":" + onNodes : "")
                + "/"
                + port.path("protocol").asString("");
    }
}
