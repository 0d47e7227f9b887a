package io.kubemirror.feature.table;

import module java.base;

import tools.jackson.databind.JsonNode;

/** The columns of services and endpoint slices. */
final class NetworkTables {

    private NetworkTables() {}

    static TableFormat services() {
        return TableFormat.of(
                "services",
                Column.named(),
                Column.text("Type", "/spec/type"),
                Column.text("Cluster-IP", NetworkTables::clusterIp),
                Column.text("External-IP", NetworkTables::externalIp),
                Column.text("Port(s)", NetworkTables::servicePorts),
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

    private static String servicePorts(JsonNode service) {
        return CellText.orNone(
                service.at("/spec/ports")
                        .valueStream()
                        .map(NetworkTables::servicePort)
                        .collect(Collectors.joining(",")));
    }

    private static String servicePort(JsonNode port) {
        long onNodes = port.path("nodePort").asLong(0);
        return port.path("port").asLong(0)
                + (onNodes > 0 ? ":" + onNodes : "")
                + "/"
                + port.path("protocol").asString("");
    }

    static TableFormat ingresses() {
        return TableFormat.of(
                "ingresses.networking.k8s.io",
                Column.named(),
                Column.text(
                        "Class",
                        object -> object.at("/spec/ingressClassName").asString(CellText.NONE)),
                Column.text("Hosts", object -> hosts(object.at("/spec/rules"))),
                Column.text(
                        "Address", object -> balancers(object).collect(Collectors.joining(","))),
                Column.text("Ports", object -> object.at("/spec/tls").isEmpty() ? "80" : "80, 443"),
                Column.age());
    }

    /** Returns the first hosts, and the number of the other rules, with or without a host. */
    private static String hosts(JsonNode rules) {
        List<String> hosts = new ArrayList<>();
        for (JsonNode rule : rules) {
            if (hosts.size() == CellText.SHOWN) {
                int others = rules.size() - CellText.SHOWN;
                return String.join(",", hosts) + " + " + others + " more...";
            }
            String host = rule.path("host").asString("");
            if (!host.isEmpty()) {
                hosts.add(host);
            }
        }
        return CellText.or(String.join(",", hosts), "*");
    }

    static TableFormat endpointSlices() {
        return TableFormat.of(
                "endpointslices.discovery.k8s.io",
                Column.named(),
                Column.text("AddressType", "/addressType"),
                Column.text("Ports", NetworkTables::ports),
                Column.text("Endpoints", NetworkTables::endpoints),
                Column.age());
    }

    private static String ports(JsonNode slice) {
        return orUnset(slice.path("ports").valueStream().map(NetworkTables::port));
    }

    private static String port(JsonNode port) {
        return port.path("port").isNumber()
                ? port.path("port").asString()
                : port.path("name").asString("*");
    }

    private static String endpoints(JsonNode slice) {
        return orUnset(
                slice.path("endpoints")
                        .valueStream()
                        .flatMap(endpoint -> endpoint.path("addresses").valueStream())
                        .map(address -> address.asString("")));
    }

    private static String orUnset(Stream<String> elements) {
        return CellText.or(CellText.abridged(elements.toList()), CellText.UNSET);
    }
}
