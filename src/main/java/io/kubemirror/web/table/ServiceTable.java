package io.kubemirror.web.table;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The columns of services. */
final class ServiceTable {

    private ServiceTable() {}

    static TableFormat format() {
        return TableFormat.of(
                Column.named(),
                Column.text(
                        "Type",
                        "type determines how the Service is exposed. Defaults to ClusterIP. Valid"
                            + " options are ExternalName, ClusterIP, NodePort, and LoadBalancer."
                            + " \"ClusterIP\" allocates a cluster-internal IP address for"
                            + " load-balancing to endpoints. Endpoints are determined by the"
                            + " selector or if that is not specified, by manual construction of an"
                            + " Endpoints object or EndpointSlice objects. If clusterIP is"
                            + " \"None\", no virtual IP is allocated and the endpoints are"
                            + " published as a set of endpoints rather than a virtual IP."
                            + " \"NodePort\" builds on ClusterIP and allocates a port on every node"
                            + " which routes to the same endpoints as the clusterIP."
                            + " \"LoadBalancer\" builds on NodePort and creates an external"
                            + " load-balancer (if supported in the current cloud) which routes to"
                            + " the same endpoints as the clusterIP. \"ExternalName\" aliases this"
                            + " service to the specified externalName. Several other fields do not"
                            + " apply to ExternalName services. More info:"
                            + " https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types",
                        object -> object.at("/spec/type").asString("")),
                Column.text(
                        "Cluster-IP",
                        "clusterIP is the IP address of the service and is usually assigned"
                            + " randomly. If an address is specified manually, is in-range (as per"
                            + " system configuration), and is not in use, it will be allocated to"
                            + " the service; otherwise creation of the service will fail. This"
                            + " field may not be changed through updates unless the type field is"
                            + " also being changed to ExternalName (which requires this field to be"
                            + " blank) or the type field is being changed from ExternalName (in"
                            + " which case this field may optionally be specified, as describe"
                            + " above).  Valid values are \"None\", empty string (\"\"), or a valid"
                            + " IP address. Setting this to \"None\" makes a \"headless service\""
                            + " (no virtual IP), which is useful when direct endpoint connections"
                            + " are preferred and proxying is not required.  Only applies to types"
                            + " ClusterIP, NodePort, and LoadBalancer. If this field is specified"
                            + " when creating a Service of type ExternalName, creation will fail."
                            + " This field will be wiped when updating a Service to type"
                            + " ExternalName. More info:"
                            + " https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies",
                        ServiceTable::clusterIp),
                Column.text(
                        "External-IP",
                        "externalIPs is a list of IP addresses for which nodes in the cluster will"
                            + " also accept traffic for this service.  These IPs are not managed by"
                            + " Kubernetes.  The user is responsible for ensuring that traffic"
                            + " arrives at a node with this IP.  A common example is external"
                            + " load-balancers that are not part of the Kubernetes system.",
                        ServiceTable::externalIp),
                Column.text(
                        "Port(s)",
                        "The list of ports that are exposed by this service. More info:"
                            + " https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies",
                        ServiceTable::ports),
                Column.age(),
                Column.text(
                                "Selector",
                                "Route service traffic to pods with label keys and values matching"
                                    + " this selector. If empty or not present, the service is"
                                    + " assumed to have an external process managing its endpoints,"
                                    + " which Kubernetes will not modify. Only applies to types"
                                    + " ClusterIP, NodePort, and LoadBalancer. Ignored if type is"
                                    + " ExternalName. More info:"
                                    + " https://kubernetes.io/docs/concepts/services-networking/service/",
                                object -> Texts.labels(object.at("/spec/selector")))
                        .wide());
    }

    /** Objects from before there were two families of addresses have only the one. */
    private static String clusterIp(JsonNode service) {
        String first = service.at("/spec/clusterIPs/0").asString("");
        return Texts.orNone(Texts.or(first, service.at("/spec/clusterIP").asString("")));
    }

    private static String externalIp(JsonNode service) {
        List<String> declared =
                service.at("/spec/externalIPs").valueStream().map(ip -> ip.asString("")).toList();
        return switch (service.at("/spec/type").asString("")) {
            case "ClusterIP", "NodePort" -> Texts.orNone(String.join(",", declared));
            case "LoadBalancer" ->
                    Texts.or(
                            Stream.concat(balancers(service), declared.stream())
                                    .collect(Collectors.joining(",")),
                            "<pending>");
            case "ExternalName" -> service.at("/spec/externalName").asString("");
            default -> Texts.UNKNOWN;
        };
    }

    private static Stream<String> balancers(JsonNode service) {
        return service.at("/status/loadBalancer/ingress")
                .valueStream()
                .map(
                        ingress ->
                                Texts.or(
                                        ingress.path("ip").asString(""),
                                        ingress.path("hostname").asString("")))
                .filter(address -> !address.isEmpty())
                .distinct()
                .sorted();
    }

    private static String ports(JsonNode service) {
        return Texts.orNone(
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
