package io.kubemirror.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import module java.base;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Compares a custom resource and its columns with those of a real API server, byte by byte. */
@WithApiServer
class CustomColumnParityTest {

    private static final String DEFINITIONS =
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String CELLS = "/apis/columns.example.com/v1/cells";
    private static final String ACCEPT = "Accept: application/json;as=Table;g=meta.k8s.io;v=v1";
    private static final Path OBJECT =
            Path.of("src/test/resources/io/kubemirror/feature/table/custom-object.json");

    /** Nested less deeply than the server allows, and more than readers of JSON do by default. */
    private static final int DEPTH = 9_000;

    @Test
    void cells_are_those_of_a_real_server(ApiServer server) throws IOException {
        RestClient client = server.client();
        JsonNode object = JsonTrees.parse(Files.readString(OBJECT));
        assertThat(client.send("POST", DEFINITIONS, definition(object.path("spec"))).code())
                .isEqualTo(201);
        WaitLimit.until(() -> client.get(CELLS).code() == 200);
        create(client, "p", object.path("spec").toString());
        create(client, "deep", "{\"deep\":" + "[".repeat(DEPTH) + "]".repeat(DEPTH) + "}");

        try (ParityFixture fixture =
                ParityFixture.on(server, List.of("cells.columns.example.com"))) {
            await().atMost(WaitLimit.GENEROUS)
                    .untilAsserted(
                            () ->
                                    assertThat(cells(fixture, fixture.mirror()))
                                            .isEqualTo(cells(fixture, server.url())));
            for (String target : List.of(CELLS, CELLS + "/p")) {
                assertThat(body(fixture, fixture.mirror(), target))
                        .isEqualTo(body(fixture, server.url(), target));
            }
        } finally {
            client.send("DELETE", DEFINITIONS + "/cells.columns.example.com", null);
        }
    }

    private static void create(RestClient client, String name, String spec) {
        String sent =
                """
                {"apiVersion":"columns.example.com/v1","kind":"Cell","metadata":{"name":"%s",
                 "annotations":{"example.com/x":"note"}},"spec":%s,
                 "Upper":1,"apiVersions":2,"age":{"kind":"x"},"kin":[3],"kindred":4}\
                """
                        .formatted(name, spec);
        WaitLimit.until(() -> client.send("POST", CELLS, sent).code() == 201);
    }

    /** Returns a body without the metadata of a list: other types change its revision, too. */
    private static String body(ParityFixture fixture, URI url, String target) {
        return fixture.ask(url, RawRequest.get(target))
                .body()
                .replaceFirst(
                        "\"metadata\":\\{(\"continue\":\"\",)?\"resourceVersion\":\"\\d+\"\\}\\}$",
                        "");
    }

    private static List<String> cells(ParityFixture fixture, URI url) {
        String table = fixture.ask(url, RawRequest.get(CELLS).with(ACCEPT)).body();
        List<String> cells =
                Pattern.compile("\"cells\":.*?,\"object\":")
                        .matcher(table)
                        .results()
                        .map(MatchResult::group)
                        .toList();
        assertThat(cells).hasSize(2);
        assertThat(cells.getLast()).contains("\"note\"");
        return cells;
    }

    /** A column of each type for each field, and some paths. */
    private static String definition(JsonNode fields) {
        ObjectNode definition =
                JsonTrees.parse(
                        """
                        {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
                         "metadata":{"name":"cells.columns.example.com"},
                         "spec":{"group":"columns.example.com","scope":"Cluster",
                          "names":{"plural":"cells","singular":"cell","kind":"Cell",
                            "listKind":"Prison"},
                          "versions":[{"name":"v1","served":true,"storage":true,
                           "schema":{"openAPIV3Schema":{"type":"object",
                            "x-kubernetes-preserve-unknown-fields":true}}}]}}\
                        """);
        ArrayNode columns =
                ((ObjectNode) definition.at("/spec/versions/0"))
                        .putArray("additionalPrinterColumns");
        for (String type : List.of("string", "integer", "number", "boolean", "date")) {
            for (String field : fields.propertyNames()) {
                add(columns, type, ".spec." + field);
            }
        }
        for (String path :
                List.of(
                        ".metadata.annotations['example.com/x']",
                        ".metadata.annotations['example\\.com/x']",
                        ".metadata.annotations.example\\.com/x",
                        ".spec['map'].k",
                        ".spec['map.k']",
                        ".spec['list'][1]")) {
            add(columns, "string", path);
        }
        return definition.toString();
    }

    private static void add(ArrayNode columns, String type, String path) {
        columns.addObject()
                .put("name", "c" + columns.size())
                .put("type", type)
                .put("jsonPath", path);
    }
}
