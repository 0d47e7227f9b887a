package io.kubemirror.feature.table;

import module java.base;

import tools.jackson.databind.JsonNode;

/** Cells of services, ingresses, and endpoint slices. */
final class NetworkCells {

    /** The number of hosts that are shown. */
    private static final int SHOWN = 3;

    private NetworkCells() {}

    /**
     * Returns the cluster IP. Objects created before dual-stack support have only one address
     * field.
     */
    static String clusterIp(JsonNode service) {
        String first = service.at("/spec/clusterIPs/0").asString("");
        return CellText.orNone(CellText.or(first, service.at("/spec/clusterIP").asString("")));
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

    /** Returns the addresses of the load balancers of an ingress. */
    static String balancers(JsonNode ingress) {
        return balanced(ingress).collect(Collectors.joining(","));
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
    static String hosts(JsonNode rules) {
        List<String> hosts = new ArrayList<>();
        for (JsonNode rule : rules) {
            if (hosts.size() == SHOWN) {
                int others = rules.size() - SHOWN;
                return String.join(",", hosts) + " + " + others + " more...";
            }
            String host = rule.path("host").asString("");
            if (!host.isEmpty()) {
                hosts.add(host);
            }
        }
        return CellText.or(String.join(",", hosts), "*");
    }
}
