package io.kubemirror.feature.scrape;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.function.SingletonSupplier;

class MetricsRedirectTest {

    private static final Supplier<RestResponse> METRICS =
            SingletonSupplier.of(() -> scraped("kubemirror.resources[0].resource=pods"));

    private static RestResponse scraped(String... settings) {
        try (ConfigurableApplicationContext started = ApplicationLauncher.with(settings)) {
            return ApplicationLauncher.api(started).get("/metrics");
        }
    }

    @Test
    void scrape_of_the_api_is_sent_to_the_metrics() {
        RestResponse response = METRICS.get();

        assertThat(response.code()).isEqualTo(200);
        assertThat(response.body()).contains("# TYPE kubemirror_");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "process_cpu_seconds_total",
                "process_resident_memory_bytes",
                "process_open_fds",
                "process_max_fds",
                "process_start_time_seconds"
            })
    void process_has_the_names_that_dashboards_expect(String name) {
        assertThat(METRICS.get().body())
                .containsPattern("(?m)^" + name + "(\\{[^}]*})? [1-9][0-9.E]*$");
    }

    @Test
    void metrics_below_another_path_are_found() {
        RestResponse response =
                scraped(
                        "kubemirror.resources[0].resource=pods",
                        "management.server.base-path=/manage",
                        "management.endpoints.web.path-mapping.prometheus=numbers");

        assertThat(response.body()).contains("# TYPE kubemirror_");
    }

    @Test
    void metrics_that_are_not_exposed_are_not_found() {
        RestResponse response =
                scraped(
                        "kubemirror.resources[0].resource=pods",
                        "management.endpoints.web.exposure.include=health");

        assertThat(response.code()).isEqualTo(404);
    }
}
