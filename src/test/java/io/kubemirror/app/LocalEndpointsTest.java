package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import module java.base;

import io.kubemirror.testing.ExternalAddress;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Tests the endpoints that change the process or show its memory: on loopback, for programs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LocalEndpointsTest {

    private static final String LOGGER = "/actuator/loggers/io.kubemirror";
    private static final String DEBUG = "{\"configuredLevel\": \"DEBUG\"}";

    @AutoClose private final ScriptedApiServer server = ScriptedApiServer.create();

    /** Has a small heap, while that of the tests takes a minute to dump. */
    @AutoClose private final KubemirrorProcess process;

    LocalEndpointsTest() {
        server.create(Manifests.pod("a", "x"));
        server.knowToken("t-anna", "anna");
        for (String name : List.of("loggers", "threaddump", "heapdump", "mirrors")) {
            server.permit("anna", "get /actuator/" + name);
        }
        server.permit("anna", "watch pods");
        process =
                KubemirrorProcess.start(
                                "kubemirror.upstream.server=" + server.url(),
                                "kubemirror.access.authentication=token-review",
                                "management.endpoint.heapdump.access=unrestricted",
                                "kubemirror.resources[0].resource=pods",
                                "kubemirror.resources[1].resource=configmaps",
                                "kubemirror.resources[1].namespaces[0]=one",
                                "kubemirror.resources[1].namespaces[1]=two")
                        .awaitReady();
    }

    /** Has a connection of its own, because the server may close one that is not in use. */
    private HttpResponse<String> send(
            String address, String method, String path, String header, String body)
            throws Exception {
        String[] field = header.split(": ", 2);
        int port = process.managementUrl().getPort();
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://" + address + ":" + port + path))
                        .header(field[0], field[1])
                        .header("Content-Type", "application/json")
                        .method(method, BodyPublishers.ofString(body))
                        .build();
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(request, BodyHandlers.ofString(ISO_8859_1));
    }

    private String level(String body) throws Exception {
        String accepted = "Accept: application/json";
        if (!body.isEmpty()) {
            assertThat(send("127.0.0.1", "POST", LOGGER, accepted, body).statusCode())
                    .isEqualTo(204);
        }
        return JsonTrees.parse(send("127.0.0.1", "GET", LOGGER, accepted, "").body())
                .path("effectiveLevel")
                .asString();
    }

    @Test
    void log_level_is_changed_and_restored_at_run_time() throws Exception {
        String before = level("");

        assertThat(level(DEBUG)).isEqualTo("DEBUG").isNotEqualTo(before);
        assertThat(level("{\"configuredLevel\": null}")).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/io/kubemirror/app/local-requests.csv", delimiter = '|')
    void local_endpoint_is_for_persons_and_programs_on_the_same_machine(
            String client, String method, String path, String header, int code) throws Exception {
        boolean far = client.equals("far");
        String address = far ? ExternalAddress.demand() : "127.0.0.1";
        String body = method.equals("POST") ? DEBUG : "";

        HttpResponse<String> answer = send(address, method, path, header, body);

        assertThat(answer.statusCode()).isEqualTo(code);
        if (far) {
            assertThat(answer.body())
                    .contains("\"forbidden: this endpoint is available on loopback only\"");
        }
        assertThat(level("")).isNotEqualTo("DEBUG");
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

    private String dump(String type) throws Exception {
        HttpResponse<String> answer =
                send("127.0.0.1", "GET", "/actuator/threaddump", "Accept: " + type, "");
        assertThat(answer.headers().firstValue("Content-Type").orElseThrow()).startsWith(type);
        return answer.body();
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
}
