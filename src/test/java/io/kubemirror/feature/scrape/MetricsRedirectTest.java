package io.kubemirror.feature.scrape;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

class MetricsRedirectTest {

    private static RestResponse scraped(String... settings) {
        try (ConfigurableApplicationContext started = ApplicationLauncher.with(settings)) {
            return ApplicationLauncher.api(started).get("/metrics");
        }
    }

    @Test
    void scrape_of_the_api_is_sent_to_the_metrics() {
        RestResponse response = scraped("kubemirror.resources[0].resource=pods");

        assertThat(response.code()).isEqualTo(200);
        assertThat(response.body()).contains("# TYPE kubemirror_");
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
