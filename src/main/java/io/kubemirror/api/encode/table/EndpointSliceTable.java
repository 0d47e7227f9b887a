package io.kubemirror.api.encode.table;

import tools.jackson.databind.JsonNode;

/** The columns of endpoint slices. */
final class EndpointSliceTable {

    private EndpointSliceTable() {}

    static TableFormat format() {
        return TableFormat.of(
                "endpointslices.discovery.k8s.io",
                Column.named(),
                Column.text("AddressType", "/addressType"),
                Column.text("Ports", EndpointSliceTable::ports),
                Column.text("Endpoints", EndpointSliceTable::endpoints),
                Column.age());
    }

    private static String ports(JsonNode slice) {
        return CellText.abridged(
                slice.path("ports").valueStream().map(EndpointSliceTable::port).toList());
    }

    private static String port(JsonNode port) {
        return port.path("port").isNumber()
                ? port.path("port").asString()
                : port.path("name").asString("*");
    }

    private static String endpoints(JsonNode slice) {
        return CellText.abridged(
                slice.path("endpoints")
                        .valueStream()
                        .flatMap(endpoint -> endpoint.path("addresses").valueStream())
                        .map(address -> address.asString(""))
                        .toList());
    }
}
