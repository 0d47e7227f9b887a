package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Reply;
import io.kubemirror.testing.RestClient;

import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import tools.jackson.databind.JsonNode;

/** Requests are answered by mapped methods of controllers. */
class ControllersTest {

    private static final String MAPPINGS = "management.endpoints.web.exposure.include=mappings";

    /** What a user may add. */
    @RestController
    static final class FurtherController {

        @GetMapping("/further/{name}")
        Map<String, String> further(@PathVariable("name") String name) {
            return Map.of("name", name);
        }
    }

    /** What a developer may add. */
    @RestController
    static final class DevelopersController {

        @GetMapping("/kubemirror/v1/{name}")
        void extension(Exchange exchange) throws IOException {
            Reply.json("{\"mine\":true}".getBytes(StandardCharsets.UTF_8))
                    .send(exchange.response());
        }
    }

    private static Map<String, String> mapped(ConfigurableApplicationContext started) {
        JsonNode servlets =
                ApplicationLauncher.management(started)
                        .get("/actuator/mappings")
                        .json()
                        .at("/contexts/kubemirror/mappings/dispatcherServlets/dispatcherServlet");
        return servlets.valueStream()
                .filter(one -> one.at("/details/handlerMethod/className").isString())
                .collect(
                        Collectors.toMap(
                                one -> one.path("predicate").asString(),
                                one ->
                                        one.at("/details/handlerMethod/className")
                                                .asString()
                                                .replaceAll(".*\\.", "")));
    }

    @Test
    void mappings_list_the_paths_of_the_api_and_of_features() {
        try (ConfigurableApplicationContext started =
                ApplicationLauncher.with("kubemirror.resources[0].resource=pods", MAPPINGS)) {
            Map<String, String> mapped = mapped(started);

            assertThat(controllers(mapped, "/api/{version}/namespaces/{namespace}/{resource}"))
                    .containsExactly("ResourceController");
            assertThat(controllers(mapped, "/apis/{group}/{version}/{resource}/{name}"))
                    .containsExactly("ResourceController");
            assertThat(controllers(mapped, "/apis/{group}/{version}"))
                    .containsExactly("DiscoveryEndpoints");
            assertThat(controllers(mapped, "/kubemirror/v1/watch"))
                    .containsExactly("StreamController");
            assertThat(controllers(mapped, "/version")).containsExactly("VersionEndpoint");
            assertThat(controllers(mapped, "/{*path}")).containsExactly("PassThrough");
            assertThat(controllers(mapped, "/**")).containsExactly("UnservedController");
        }
    }

    private static List<String> controllers(Map<String, String> mapped, String path) {
        return mapped.entrySet().stream()
                .filter(
                        one ->
                                one.getKey()
                                        .matches(".*[\\[{ ]" + Pattern.quote(path) + "[\\],} ].*"))
                .map(Map.Entry::getValue)
                .toList();
    }

    @Test
    void further_controllers_answer_what_the_api_does_not() {
        try (ConfigurableApplicationContext started = with(new FurtherController())) {
            RestClient client = ApplicationLauncher.api(started);

            assertThat(client.get("/further/x").json().path("name").asString()).isEqualTo("x");
            assertThat(client.get("/further").code()).isEqualTo(404);
        }
    }

    @Test
    void method_that_answers_an_exchange_is_mapped_by_the_kind_of_its_path() {
        try (ConfigurableApplicationContext started = with(new DevelopersController())) {
            RestClient client = ApplicationLauncher.api(started);

            assertThat(client.get("/kubemirror/v1/%6Dine").json().path("mine").asBoolean())
                    .isTrue();
            assertThat(client.get("/kubemirror/v1/watch").code()).isEqualTo(400);
        }
    }

    private static <T> ConfigurableApplicationContext with(T controller) {
        @SuppressWarnings("unchecked")
        Class<T> type = (Class<T>) controller.getClass();
        return ApplicationLauncher.with(type, controller, "kubemirror.resources[0].resource=pods");
    }

    /** Another answer to what is answered already. */
    @RestController
    static final class SecondController {

        @GetMapping("/apis/{group}/{version}/{kind}")
        void list(Exchange exchange) {
            exchange.abort();
        }
    }

    @Test
    void two_methods_for_paths_of_one_kind_are_refused_at_the_start() {
        assertThatThrownBy(() -> with(new SecondController()))
                .hasStackTraceContaining("is answered by")
                .hasStackTraceContaining("ResourceController#read");
    }

    /** What a reader of annotations would take for writes only. */
    @RestController
    static final class WritingController {

        @PostMapping("/kubemirror/v1/{name}")
        void write(Exchange exchange) {
            exchange.abort();
        }
    }

    @Test
    void condition_that_would_be_ignored_is_refused_at_the_start() {
        assertThatThrownBy(() -> with(new WritingController()))
                .hasStackTraceContaining("WritingController#write")
                .hasStackTraceContaining("but nothing else");
    }
}
