package io.kubemirror.feature.diagnose;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.app.ApplicationLauncher;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Tests the diagnosis of the whole application. */
class MirrorsEndpointApplicationTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final ConfigurableApplicationContext APPLICATION =
            ApplicationLauncher.with("kubemirror.resources[0].resource=pods");

    @AfterAll
    static void stop() {
        APPLICATION.close();
        CLIENT.close();
    }

    @Test
    void mirrors_endpoint_reports_findings_and_configuration() throws Exception {
        HttpResponse<String> answer = management("/actuator/mirrors");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .contains(
                        "\"severity\":\"error\",\"kind\":\"not-synchronized\",\"mirror\":\"pods\"",
                        "\"kubemirror.history.span\":\"1m15s\"",
                        "\"kubemirror.defaults.strategy\":\"auto\"",
                        "\"api\":\""
                                + ApplicationLauncher.url(APPLICATION, "local.server.port")
                                + "\"");
        assertThat(management("/actuator/mirrors/pods").body()).contains("\"name\":\"pods\"");
        assertThat(management("/actuator/mirrors/pods/nowhere").statusCode()).isEqualTo(404);
    }

    @Test
    void mirrors_endpoint_names_objects_only_on_request() throws Exception {
        assertThat(management("/actuator/mirrors").body()).contains("\"busiest\":null");
        assertThat(management("/actuator/mirrors?objects=true").body()).contains("\"busiest\":[");
    }

    @Test
    void mirrors_endpoint_omits_credentials() throws Exception {
        try (var context =
                ApplicationLauncher.with(
                        "kubemirror.resources[0].resource=pods",
                        "kubemirror.upstream.server=http://root:hunter2@127.0.0.1:1")) {
            assertThat(get(context, "local.management.port", "/actuator/mirrors").body())
                    .contains("http://127.0.0.1:1")
                    .doesNotContain("hunter2");
        }
    }

    private static HttpResponse<String> management(String path) throws Exception {
        return get(APPLICATION, "local.management.port", path);
    }

    private static HttpResponse<String> get(
            ConfigurableApplicationContext application, String port, String path)
            throws IOException, InterruptedException {
        URI uri = URI.create(ApplicationLauncher.url(application, port) + path);
        return CLIENT.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }
}
