package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.testing.ExternalAddress;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Tests the endpoints that change the process or show its memory: on loopback, for programs. */
@Timeout(120)
class LocalEndpointsTest {

    /** Has a connection of its own, because the server may close one that is not in use. */
    private static HttpClient http() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    private static final String LOGGER = "/actuator/loggers/io.kubemirror.example";
    private static final String DEBUG = "{\"configuredLevel\": \"DEBUG\"}";

    private static final String AUTHENTICATION = "kubemirror.access.authentication=token-review";
    private static final String HEAP_DUMPS = "management.endpoint.heapdump.access=unrestricted";

    private static ScriptedApiServer server;
    private static ConfigurableApplicationContext application;

    /** Has a small heap, while that of the tests takes a minute to dump. */
    private static KubemirrorProcess process;

    @BeforeAll
    static void start() {
        server = ScriptedApiServer.create();
        server.create(Manifests.pod("a", "x"));
        application =
                ApplicationLauncher.mirroring(server.url(), "pods", AUTHENTICATION, HEAP_DUMPS);
        server.knowToken("t-anna", "anna");
        for (String name : List.of("loggers", "threaddump", "heapdump", "mirrors")) {
            server.permit("anna", "get /actuator/" + name);
        }
        server.permit("anna", "watch pods");
        process =
                KubemirrorProcess.start(
                                "kubemirror.upstream.server=" + server.url(),
                                AUTHENTICATION,
                                HEAP_DUMPS,
                                "kubemirror.resources[0].resource=pods",
                                "kubemirror.resources[1].resource=configmaps",
                                "kubemirror.resources[1].namespaces[0]=one",
                                "kubemirror.resources[1].namespaces[1]=two")
                        .awaitReady();
    }

    @AfterAll
    static void stop() {
        process.close();
        application.close();
        server.close();
    }

    private static HttpResponse<byte[]> send(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        return http().send(request.build(), BodyHandlers.ofByteArray());
    }

    private static HttpRequest.Builder request(String address, String path) {
        String port = application.getEnvironment().getRequiredProperty("local.management.port");
        return HttpRequest.newBuilder(URI.create("http://" + address + ":" + port + path));
    }

    private static HttpRequest.Builder set(String address, String level) {
        return request(address, LOGGER)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(level));
    }

    @Test
    void log_level_is_changed_and_restored_at_run_time() throws Exception {
        var logger = LoggerFactory.getLogger("io.kubemirror.example");
        assertThat(logger.isDebugEnabled()).isFalse();

        assertThat(send(set("127.0.0.1", DEBUG)).statusCode()).isEqualTo(204);
        assertThat(logger.isDebugEnabled()).isTrue();
        assertThat(text(send(request("127.0.0.1", LOGGER)))).contains("\"DEBUG\"");

        String inherited = "{\"configuredLevel\": null}";
        assertThat(send(set("127.0.0.1", inherited)).statusCode()).isEqualTo(204);
        assertThat(logger.isDebugEnabled()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/actuator/loggers",
                "/actuator/threaddump",
                "/actuator/heapdump",
                "/%61ctuator/heapdump",
                "/actuator/heap%64ump",
                "/actuator/unknown"
            })
    void no_credentials_open_local_endpoints_from_elsewhere(String path) throws Exception {
        HttpResponse<byte[]> answer =
                send(
                        request(ExternalAddress.demand(), path)
                                .header("Authorization", "Bearer t-anna"));

        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(text(answer))
                .contains("\"message\":\"forbidden: this endpoint is available on loopback only\"");
    }

    @Test
    void nothing_is_changed_from_elsewhere() throws Exception {
        HttpRequest.Builder write = set(ExternalAddress.demand(), DEBUG);

        assertThat(send(write.header("Authorization", "Bearer t-anna")).statusCode())
                .isEqualTo(403);
        assertThat(LoggerFactory.getLogger("io.kubemirror.example").isDebugEnabled()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "Sec-Fetch-Site, same-origin",
        "Sec-Fetch-Site, same-site",
        "Sec-Fetch-Site, cross-site",
        "Sec-Fetch-Site, none",
        "Origin, http://localhost:3000",
        "Origin, null"
    })
    void no_web_page_changes_a_log_level(String header, String value) throws Exception {
        HttpResponse<byte[]> answer = send(set("127.0.0.1", DEBUG).header(header, value));

        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(LoggerFactory.getLogger("io.kubemirror.example").isDebugEnabled()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/actuator/heapdump", "/actuator/threaddump"})
    void no_web_page_requests_a_dump_but_a_person_may(String path) throws Exception {
        assertThat(code(path, "Sec-Fetch-Site", "same-origin")).isEqualTo(403);
        assertThat(code(path, "Origin", "http://localhost:3000")).isEqualTo(403);
        assertThat(code(path, "Sec-Fetch-Site", "none")).isEqualTo(200);
    }

    private static int code(String path, String header, String value) throws Exception {
        HttpRequest request = local(path).header(header, value).build();
        return http().send(request, BodyHandlers.discarding()).statusCode();
    }

    private static HttpRequest.Builder local(String path) {
        return HttpRequest.newBuilder(process.managementUrl().resolve(path));
    }

    @Test
    void thread_dump_shows_every_thread_of_kubemirror_with_a_name() throws Exception {
        try (WatchReader watch =
                process.client().withToken("t-anna").watch("/api/v1/pods?watch=1")) {
            watch.next();
            assertThat(dump("text/plain"))
                    .contains("\"reflector-pods\" virtual")
                    .contains("\"reflector-configmaps/one\" virtual")
                    .contains("\"reflector-configmaps/two\" virtual")
                    .contains("\"auditor-pods\" virtual")
                    .contains("\"notifier\"")
                    .contains("\"watch-executor-1\"")
                    .contains("    at java.base/");
            assertThat(names(JsonTrees.parse(dump("application/json"))))
                    .contains("reflector-pods")
                    .doesNotContain("");
        }
    }

    private static String dump(String type) throws Exception {
        HttpResponse<byte[]> answer = send(local("/actuator/threaddump").header("Accept", type));
        assertThat(answer.headers().firstValue("Content-Type").orElseThrow()).startsWith(type);
        return text(answer);
    }

    /** The names of the threads that run code of kubemirror. */
    private static List<String> names(JsonNode dump) {
        List<String> names = new ArrayList<>();
        for (JsonNode container : dump.at("/threadDump/threadContainers")) {
            for (JsonNode thread : container.path("threads")) {
                if (thread.path("stack").toString().contains("io.kubemirror.")) {
                    names.add(thread.path("name").asString());
                }
            }
        }
        return names;
    }

    private static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), UTF_8);
    }
}
