package io.kubemirror.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.TableCase;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Compares the tables of types with those of a whole API server, which alone has all types. */
@WithApiServer(own = true, flags = "--feature-gates=" + ParityObjects.QUIET)
class TableParityTest {

    private static final String ACCEPT = "Accept: application/json;as=Table;g=meta.k8s.io;v=v1";
    private static final String WATCH =
            "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                    + "&allowWatchBookmarks=true&timeoutSeconds=1";

    private static final int CELLS = 100;

    private final ApiServer server;
    private final List<TableCase> cases;
    @AutoClose private final ParityFixture fixture;

    /**
     * Whether the version is that of the columns of kubemirror. Others describe them in other
     * words, and have other marks of default classes.
     */
    private final boolean same;

    TableParityTest(ApiServer server) {
        assumeThat(server.url().getScheme()).as("a whole API server").isEqualTo("https");
        this.server = server;
        cases = TableCase.all().stream().filter(one -> isServed(one.type())).toList();
        cases.stream().filter(one -> one.object().has("metadata")).forEach(this::create);
        same = server.client().read("/version").path("minor").asString().equals("36");
        fixture = ParityFixture.on(server, types().map(ResourceType::groupResource).toList());
    }

    private boolean isServed(ResourceType type) {
        return server.client().get(type.collectionPath()).code() == 200;
    }

    private Stream<ResourceType> types() {
        return cases.stream().map(TableCase::type).distinct();
    }

    /** Creates an object, with its status, and deletes it if it is a deleted one. */
    private void create(TableCase one) {
        RestClient client = server.client();
        String collection = one.path().substring(0, one.path().lastIndexOf('/'));
        int code = client.send("POST", collection, JsonTrees.text(one.object())).code();
        // The server has some by itself.
        assertThat(code).as(one.toString()).isIn(201, 409);
        ObjectNode status = JsonTrees.object();
        if (one.object().path("status") instanceof ObjectNode members) {
            status.set("status", members);
            decide(one, members);
            client.write("PATCH", one.path() + "/status", JsonTrees.text(status));
        }
        if (one.object().path("metadata").has("deletionTimestamp")) {
            client.write("DELETE", one.path(), null);
        }
    }

    /** Approves or denies a signing request, which an update of the status cannot do. */
    private void decide(TableCase one, ObjectNode status) {
        if (one.type().plural().equals("certificatesigningrequests") && status.has("conditions")) {
            ObjectNode first = JsonTrees.object();
            first.withObject("status")
                    .putArray("conditions")
                    .add(status.path("conditions").path(0));
            server.client().write("PATCH", one.path() + "/approval", JsonTrees.text(first));
        }
    }

    @TestFactory
    Stream<DynamicTest> tables_are_those_of_a_whole_server() {
        return types().map(type -> dynamicTest(type.groupResource(), () -> verify(type)));
    }

    private void verify(ResourceType type) {
        String list = type.collectionPath();
        // The server changes the status of some objects by itself.
        WaitLimit.until(() -> table(fixture.mirror(), list).equals(table(server.url(), list)));
        assertThat(table(server.url(), list)).containsAll(rows(type));
        if (same) {
            await().atMost(WaitLimit.GENEROUS)
                    .untilAsserted(
                            () ->
                                    assertThat(table(fixture.mirror(), list + WATCH))
                                            .isNotEmpty()
                                            .isEqualTo(table(server.url(), list + WATCH)));
        }
    }

    /** The rows that both should show. */
    private List<String> rows(ResourceType type) {
        return cases.stream()
                .filter(one -> one.type().equals(type) && one.object().has("metadata"))
                .map(one -> "{\"kind\":\"Table\",\"rows\":[{\"cells\":" + one.cells() + "}]}")
                .flatMap(table -> rows(JsonTrees.parse(Equality.normalized(marked(table))), CELLS))
                .toList();
    }

    /** The definitions of columns and the rows, in any order, of a list or a watch. */
    private List<String> table(URI url, String target) {
        String body = fixture.ask(url, RawRequest.get(target).with(ACCEPT)).body();
        if (body.isEmpty()) {
            // A watch that was over before the server had heard of its etcd.
            return List.of();
        }
        List<JsonNode> tables =
                Equality.normalized(marked(body))
                        .lines()
                        .map(JsonTrees::parse)
                        .map(frame -> frame.has("type") ? frame.path("object") : frame)
                        .toList();
        JsonNode columns = tables.getFirst().path("columnDefinitions");
        return Stream.concat(
                        columns.valueStream().map(this::definition),
                        tables.stream().flatMap(table -> rows(table, columns.size())))
                .sorted()
                .toList();
    }

    private String marked(String table) {
        return same ? table : table.replace(" (default)", "");
    }

    private String definition(JsonNode column) {
        return JsonTrees.text(same ? column : ((ObjectNode) column).without("description"));
    }

    /** The server has a cell more for IP addresses than columns, which kubectl does not show. */
    private static Stream<String> rows(JsonNode table, int columns) {
        return table.path("rows")
                .valueStream()
                .map(row -> row.path("cells").valueStream().limit(columns).toList().toString());
    }
}
