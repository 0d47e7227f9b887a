package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;
import io.micrometer.core.instrument.MeterRegistry;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Requests that kubemirror does not answer itself get the answer of a real API server. */
@WithApiServer(secure = true)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(120)
class RealPassThroughTest {

    private static final String RANGES = "/api/v1/limitranges";

    private static final String CONFIG_MAP =
            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"counted\"},"
                    + "\"data\":{\"k\":\"v\"}}";

    @AutoClose private final ConfigurableApplicationContext kubemirror;
    private final RestClient client;
    private final RestClient direct;
    private final String token;
    private final String maps;

    RealPassThroughTest(ApiServer server, TestNamespace namespace, @TempDir Path directory)
            throws IOException {
        String config = server.kubeconfig().orElseThrow();
        Path file = Files.writeString(directory.resolve("config"), config);
        kubemirror =
                ApplicationLauncher.with(
                        "kubemirror.upstream.server=",
                        "kubemirror.upstream.kubeconfig=" + file,
                        "kubemirror.resources[0].resource=configmaps",
                        "kubemirror.resources[1].resource=endpoints",
                        "kubemirror.resources[1].namespaces=only-this",
                        "kubemirror.resources[2].resource=limitranges",
                        "kubemirror.pass-through.mode=client",
                        // The API server of the tests has no review API.
                        "kubemirror.pass-through.anonymous-reads=true");
        token = server.token();
        client = client(token);
        direct = server.client();
        maps = "/api/v1/namespaces/" + namespace.name() + "/configmaps";
    }

    private RestClient client(String token) {
        return ApplicationLauncher.api(kubemirror).withToken(token);
    }

    @BeforeAll
    void awaitMirror() {
        WaitLimit.until(
                () ->
                        isMirrored("/api/v1/configmaps")
                                && isMirrored("/api/v1/namespaces/only-this/endpoints")
                                && isMirrored(RANGES));
    }

    /** Requests for types that are not resolved yet are passed on. */
    private boolean isMirrored(String path) {
        RestResponse answer = client.get(path);
        return answer.code() == 200 && !answer.header("kubemirror-state").equals("passed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/configmaps|application/yaml",
                "/api/v1/configmaps|application/vnd.kubernetes.protobuf",
                "/api/v1/configmaps|text/html",
                RANGES + "|application/json;as=Table;g=meta.k8s.io;v=v1,application/json"
            })
    void representation_that_the_mirror_does_not_have_is_that_of_the_server(
            String target, String accepted) {
        RestResponse passed = client.get(target, "Accept", accepted);

        RestResponse expected = direct.get(target, "Accept", accepted);
        assertThat(passed.header("kubemirror-state")).isEqualTo("passed");
        assertThat(passed.code()).isEqualTo(expected.code());
        assertThat(passed.header("content-type")).isEqualTo(expected.header("content-type"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/configmaps|application/vnd.kubernetes.protobuf,application/json",
                "/api/v1/configmaps|application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
                RANGES + "|application/json"
            })
    void representation_that_the_mirror_has_is_its_own(String target, String accepted) {
        assertThat(client.get(target, "Accept", accepted).header("kubemirror-state"))
                .isEqualTo("synced");
    }

    @Test
    void read_of_more_than_what_is_mirrored_is_passed_on() {
        String endpoints = maps.replace("configmaps", "endpoints");
        RestResponse mirrored = client.get("/api/v1/namespaces/only-this/endpoints");
        RestResponse other = client.get(endpoints);

        assertThat(mirrored.header("kubemirror-state")).isNotEqualTo("passed");
        assertThat(other.code()).isEqualTo(200);
        assertThat(other.header("kubemirror-state")).isEqualTo("passed");
        assertThat(other.json().path("kind").asString()).isEqualTo("EndpointsList");
    }

    @Test
    void metrics_show_who_answered() {
        client.send("POST", maps + "?dryRun=All", CONFIG_MAP);
        client.get("/api/v1/namespaces/x/invented");
        client.get(maps);

        // An answer is counted once it has been sent.
        WaitLimit.until(() -> isCounted("api-server", "create", "201"));
        WaitLimit.until(() -> isCounted("kubemirror", "list", "200"));
        MeterRegistry registry = kubemirror.getBean(MeterRegistry.class);
        assertThat(registry.find("kubemirror.requests").tag("resource", "invented").counters())
                .isEmpty();
    }

    private boolean isCounted(String answeredBy, String verb, String code) {
        return kubemirror
                .getBean(MeterRegistry.class)
                .find("kubemirror.requests")
                .tags("answered.by", answeredBy, "verb", verb)
                .tags("resource", "configmaps", "code", code)
                .counters()
                .stream()
                .anyMatch(counter -> counter.count() > 0);
    }
}
