package io.kubemirror.feature.page;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Tests the parts of the status page over HTTP, and who may have them. */
class StatusPageEndpointsTest {

    @AutoClose private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @AutoClose
    private static final ConfigurableApplicationContext APPLICATION =
            ApplicationLauncher.with("kubemirror.resources[0].resource=pods");

    @Test
    void status_page_loads_no_external_resources_and_cannot_be_framed() throws Exception {
        for (String path :
                new String[] {"/", "/page.js", "/page-feed.js", "/page.css", "/page.svg"}) {
            RestResponse part = management(path);
            assertThat(part.code()).as(path).isEqualTo(200);
            assertThat(part.header("Content-Security-Policy"))
                    .startsWith("default-src 'none'; script-src 'self'; ")
                    .endsWith("frame-ancestors 'none'");
            assertThat(part.header("X-Content-Type-Options")).isEqualTo("nosniff");
        }
        assertThat(management("/").body())
                .doesNotContain("http:", "https:", "<script>", "style=", "onclick");
        assertThat(management("/nowhere").code()).isEqualTo(404);
    }

    @Test
    void status_page_limits_concurrent_streams() throws Exception {
        List<HttpResponse<InputStream>> viewers = new ArrayList<>();
        try (var context = ApplicationLauncher.with("kubemirror.resources[0].resource=pods")) {
            while (viewers.size() < 32) {
                viewers.add(look(context));
            }
            assertThat(viewers).allMatch(viewer -> viewer.statusCode() == 200);
            assertThat(look(context).statusCode()).isEqualTo(503);
        }
        for (HttpResponse<InputStream> viewer : viewers) {
            viewer.body().close();
        }
    }

    private static HttpResponse<InputStream> look(ConfigurableApplicationContext application)
            throws Exception {
        URI uri =
                ApplicationLauncher.url(application, "local.management.port")
                        .resolve("/page/stream");
        return CLIENT.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofInputStream());
    }

    private static RestResponse management(String path) {
        return ApplicationLauncher.management(APPLICATION).get(path);
    }
}
