package io.kubemirror.processes;

import static io.kubemirror.testing.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import module java.base;

import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.RawClients;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever clients send or leave unread, a process with the image's options and a small heap
 * continues to serve other clients. Each of these attacks ended the process before the memory
 * budget existed.
 */
class ClientMemoryTest extends ProcessHarness {

    private static final Duration ATTACK = Duration.ofSeconds(8);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String LIST = "/api/v1/pods";
    private static final String POD = "/api/v1/namespaces/a/pods/p";

    private static final ScriptedApiServer QUIET = ScriptedApiServer.create();
    private static @Nullable KubemirrorProcess attacked;

    @AfterAll
    static void stopAll() {
        if (attacked != null) {
            attacked.close();
        }
        QUIET.close();
    }

    /** The process with one pod that is attacked by one test after the other. */
    private static KubemirrorProcess attacked() {
        if (attacked == null) {
            QUIET.create(pod("a", "one"));
            attacked = KubemirrorProcess.withHeap("128m", KubemirrorProcess.pods(QUIET.url()));
        }
        return attacked.awaitReady();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void unfinished_request_lines_do_not_exhaust_the_heap(boolean management) {
        KubemirrorProcess kubemirror = attacked();
        String line = "GET " + LIST + "?x=" + "a".repeat(900_000);
        try (RawClients clients = RawClients.connect(port(kubemirror, management), 300)) {
            clients.send(line, ATTACK);
            assertServing(kubemirror);
        }
    }

    @Test
    void unfinished_headers_with_many_small_fields_do_not_exhaust_the_heap() {
        KubemirrorProcess kubemirror = attacked();
        String head = "GET " + LIST + " HTTP/1.1\r\n" + "a:b\r\n".repeat(6_000);
        try (RawClients clients = connect(kubemirror, 30)) {
            clients.send(head, ATTACK);
            assertServing(kubemirror);
        }
    }

    /** 47 MB, in objects of 100 KB. */
    @Test
    void slow_readers_of_a_large_list_do_not_exhaust_the_heap() {
        fill(470);
        KubemirrorProcess kubemirror = start("128m");
        try (RawClients clients = connect(kubemirror, 1_500)) {
            // Answers take the memory of connections that come after them.
            await().atMost(PATIENCE)
                    .until(
                            () ->
                                    kubemirror.metric("kubemirror_connections_open")
                                            == clients.open());
            clients.send(get(LIST), ATTACK);
            // Everybody has an answer or a place in line once this one has.
            awaitAnswers(clients);
            assertThat(kubemirror.isRunning()).isTrue();
            assertHealthy(kubemirror);
        }
        await().atMost(PATIENCE).untilAsserted(() -> assertServing(kubemirror));
    }

    /** Each holds the state that it began with, while every object is replaced again and again. */
    @ParameterizedTest
    @ValueSource(strings = {"", "?watch=1", "?watch=1&resourceVersion="})
    void slow_readers_of_past_states_do_not_add_up(String query) {
        fill(150);
        KubemirrorProcess kubemirror = start("128m");
        List<RawClients> readers = new ArrayList<>();
        try {
            for (int round = 0; round < 12; round++) {
                RawClients reader = connect(kubemirror, 1);
                String from = query.endsWith("=") ? Long.toString(server.revision()) : "";
                readers.add(reader.send(get(LIST + query + from), ATTACK));
                awaitAnswers(reader);
                replaceAll(150, "round " + round);
                String last = "\"round\":\"round " + round + "\"";
                await().atMost(PATIENCE)
                        .until(() -> kubemirror.client().get(POD + "149").body().contains(last));
            }
            assertServing(kubemirror);
        } finally {
            readers.forEach(RawClients::close);
        }
    }

    @Test
    void unread_watches_do_not_exhaust_the_heap() {
        server.create(pod("a", "one"));
        KubemirrorProcess kubemirror = start("128m");
        try (RawClients clients = connect(kubemirror, 1_000)) {
            clients.send(get(LIST + "?watch=1"), ATTACK);
            awaitAnswers(clients);
            for (int i = 0; i < 100; i++) {
                server.create(pod("a", "p" + i).annotation("filler", "x".repeat(100_000)));
            }
            assertServing(kubemirror);
        }
    }

    /** With the heap that the chart's memory limit leaves to a sidecar, and no other setting. */
    @Test
    void ten_thousand_watches_leave_room_for_other_clients() throws IOException {
        server.create(pod("a", "one"));
        KubemirrorProcess kubemirror = start(heapOfTheChart());
        List<RawClients> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 10; i++) {
                clients.add(admitted(kubemirror, 1_000, LIST + "?watch=1"));
            }
            clients.add(admitted(kubemirror, 1_000, LIST));
            assertServing(kubemirror);
        } finally {
            clients.forEach(RawClients::close);
        }
    }

    private static RawClients connect(KubemirrorProcess kubemirror, int count) {
        return RawClients.connect(kubemirror.url().getPort(), count);
    }

    private static void awaitAnswers(RawClients clients) {
        await().atMost(PATIENCE).until(() -> clients.answered() == clients.open());
    }

    private static RawClients admitted(KubemirrorProcess kubemirror, int count, String path) {
        RawClients clients = connect(kubemirror, count);
        clients.sendWhole(get(path));
        await().atMost(PATIENCE).until(() -> clients.answered() == count);
        assertThat(clients.answered("200 OK")).isEqualTo(count);
        return clients;
    }

    private static String heapOfTheChart() throws IOException {
        String values = Files.readString(Path.of("helm/kubemirror/values.yaml"));
        String options = Files.readString(Path.of("src/main/docker/jvm.options"));
        int limit = number(values, "limits:\\s+memory: (\\d+)Mi");
        return limit * number(options, "-XX:MaxRAMPercentage=(\\d+)") / 100 + "m";
    }

    private static int number(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .findFirst()
                .orElseThrow();
    }

    /** Each waits for a revision that the mirror does not have. */
    @Test
    void waiting_requests_for_watches_fit_into_their_connections() {
        KubemirrorProcess kubemirror = attacked();
        try (RawClients clients = connect(kubemirror, 1_200)) {
            clients.send(get(LIST + "?watch=1&resourceVersion=999999"), ATTACK);
            assertHealthy(kubemirror);
            awaitAnswers(clients);
        }
        await().atMost(PATIENCE).untilAsserted(() -> assertServing(kubemirror));
    }

    /** Without permission to anything, but known. */
    @Test
    void long_names_from_an_authenticated_client_do_not_leak_memory() {
        server.create(pod("a", "one"));
        server.knowToken("t", "somebody");
        KubemirrorProcess kubemirror =
                start("128m", "kubemirror.access.authentication=token-review");
        RestClient client = kubemirror.client().withToken("t");
        for (int i = 0; i < 120; i++) {
            String path = "/api/v1/namespaces/" + i + "a".repeat(30_000) + "/pods";
            assertThat(client.get(path).code()).isEqualTo(404);
        }
        assertHealthy(kubemirror);
        assertThat(server.requests().all(request -> request.path().contains("accessreviews")))
                .isEmpty();
    }

    /** Jackson keeps thousands of the names that it has read. */
    @Test
    void names_in_continue_tokens_leave_nothing_behind() {
        KubemirrorProcess kubemirror = attacked();
        for (int i = 0; i < 300; i++) {
            String path = LIST + "?limit=1&continue=" + tokenWithLongNames(i);
            assertThat(kubemirror.client().get(path).code()).isEqualTo(400);
        }
        assertServing(kubemirror);
    }

    private static String tokenWithLongNames(int number) {
        String names =
                IntStream.range(0, 2)
                        .mapToObj(i -> "\"" + number + "-" + i + "x".repeat(10_000) + "\":1")
                        .collect(Collectors.joining(",", "{", "}"));
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(names.getBytes(StandardCharsets.UTF_8));
    }

    /** More than the few platform threads of the web server, each waiting for its client. */
    @Test
    void pipelining_clients_that_do_not_read_do_not_block_the_management_port() {
        KubemirrorProcess kubemirror = attacked();
        try (RawClients clients = RawClients.connect(port(kubemirror, true), 40)) {
            clients.send(get("/actuator/prometheus").repeat(300), ATTACK);
            assertServing(kubemirror);
        }
    }

    private KubemirrorProcess start(String heap, String... settings) {
        return started(
                        KubemirrorProcess.withHeap(
                                heap, KubemirrorProcess.pods(server.url(), settings)))
                .awaitReady();
    }

    private void fill(int objects) {
        String filler = "x".repeat(100_000);
        for (int i = 0; i < objects; i++) {
            server.create(pod("a", "p" + i).annotation("filler", filler));
        }
    }

    private void replaceAll(int objects, String round) {
        String filler = "y".repeat(100_000);
        for (int i = 0; i < objects; i++) {
            server.replace(
                    pod("a", "p" + i).annotation("filler", filler).annotation("round", round));
        }
    }

    private static int port(KubemirrorProcess kubemirror, boolean management) {
        return (management ? kubemirror.managementUrl() : kubemirror.url()).getPort();
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    private static void assertServing(KubemirrorProcess kubemirror) {
        assertHealthy(kubemirror);
        assertThat(kubemirror.client().get(LIST).code()).isEqualTo(200);
    }

    private static void assertHealthy(KubemirrorProcess kubemirror) {
        RestClient management = kubemirror.management();
        assertThat(management.get("/actuator/health/liveness").code()).isEqualTo(200);
        assertThat(kubemirror.client().get("/livez").code()).isEqualTo(200);
    }
}
