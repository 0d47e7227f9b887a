package io.kubemirror.api.encode.table;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The columns of services. */
final class ServiceTable {

    private ServiceTable() {}

    static TableFormat format() {
        return TableFormat.of(
                "services",
                Column.named(),
                Column.text("Type", "/spec/type"),
                Column.text("Cluster-IP", ServiceTable::clusterIp),
                Column.text("External-IP", ServiceTable::externalIp),
                Column.text("Port(s)", ServiceTable::ports),
                Column.age(),
                Column.text("Selector", service -> CellText.labels(service.at("/spec/selector")))
                        .wide());
    }

    /**
     * Returns the cluster IP. Objects created before dual-stack support have only one address
     * field.
     */
    private static String clusterIp(JsonNode service) {
        String first = service.at("/spec/clusterIPs/0").asString("");
        return CellText.orNone(CellText.or(first, service.at("/spec/clusterIP").asString("")));
    }

    private static String externalIp(JsonNode service) {
        List<String> declared =
                service.at("/spec/externalIPs").valueStream().map(ip -> ip.asString("")).toList();
        return switch (service.at("/spec/type").asString("")) {
            case "ClusterIP", "NodePort" -> CellText.orNone(String.join(",", declared));
            case "LoadBalancer" ->
                    CellText.or(
                            Stream.concat(balancers(service), declared.stream())
                                    .collect(Collectors.joining(",")),
                            "<pending>");
            case "ExternalName" -> service.at("/spec/externalName").asString("");
            default -> CellText.UNKNOWN;
        };
    }

    private static Stream<String> balancers(JsonNode service) {
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

    private static String ports(JsonNode service) {
        return CellText.orNone(
                service.at("/spec/ports")
                        .valueStream()
                        .map(ServiceTable::port)
                        .collect(Collectors.joining(",")));
    }

    private static String port(JsonNode port) {
        long onNodes = port.path("nodePort").asLong(0);
        return port.path("port").asLong(0)
                + (onNodes > 0 ? ":" + onNodes : "")
                + "/"
                + port.path("protocol").asString("");
    }
}
