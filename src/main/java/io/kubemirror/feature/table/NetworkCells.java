package io.kubemirror.feature.table;

import module java.base;

import tools.jackson.databind.JsonNode;

/** Cells of services, ingresses, and endpoint slices. */
final class NetworkCells {

    /** The cells by their kind. */
    static final Map<String, Function<JsonNode, String>> CELLS =
            Map.of(
                    "balancers", ingress -> balancers(ingress).collect(Collectors.joining(",")),
                    "cluster-ip", NetworkCells::clusterIp,
                    "external-ip", NetworkCells::externalIp,
                    "hosts", NetworkCells::hosts,
                    "service-ports", NetworkCells::servicePorts,
                    "slice-endpoints", NetworkCells::endpoints,
                    "slice-ports", NetworkCells::ports,
                    "tls", tls -> tls.isEmpty() ? "80" : "80, 443");

    private NetworkCells() {}

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

    private static String servicePorts(JsonNode ports) {
        return CellText.orNone(
                ports.valueStream()
                        .map(NetworkCells::servicePort)
                        .collect(Collectors.joining(",")));
    }

    private static String servicePort(JsonNode port) {
        long onNodes = port.path("nodePort").asLong(0);
        return port.path("port").asLong(0)
                + (onNodes > 0 ? ":" + onNodes : "")
                + "/"
                + port.path("protocol").asString("");
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

    private static String ports(JsonNode ports) {
        return orUnset(ports.valueStream().map(NetworkCells::port));
    }

    private static String port(JsonNode port) {
        return port.path("port").isNumber()
                ? port.path("port").asString()
                : port.path("name").asString("*");
    }

    private static String endpoints(JsonNode endpoints) {
        return orUnset(
                endpoints
                        .valueStream()
                        .flatMap(endpoint -> endpoint.path("addresses").valueStream())
                        .map(address -> address.asString("")));
    }

    private static String orUnset(Stream<String> elements) {
        return CellText.or(CellText.abridged(elements.toList()), CellText.UNSET);
    }
}
