package io.kubemirror.feature.page;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.app.health.Finding.Kind;
import io.kubemirror.model.Names;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WatchReader;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Tests the parts of the status page over HTTP, and who may have them. */
class StatusPageEndpointsTest {

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
    void status_page_limits_concurrent_streams() {
        RestClient client = ApplicationLauncher.management(APPLICATION);
        List<WatchReader> viewers =
                Stream.generate(() -> client.watch("/page/stream")).limit(33).toList();

        assertThat(viewers.subList(0, 32)).allMatch(viewer -> viewer.code() == 200);
        assertThat(viewers.getLast().code()).isEqualTo(503);
        viewers.forEach(WatchReader::close);
    }

    private static RestResponse management(String path) {
        return ApplicationLauncher.management(APPLICATION).get(path);
    }

    private static final Pattern ENTRY = Pattern.compile("^ {4}'?([a-z-]+)'?: '(kubemirror\\w+)'");

    @Test
    void each_kind_of_finding_has_a_section_of_the_runbook() throws IOException {
        Map<String, String> links = new HashMap<>();
        for (String line : read("src/main/resources/io/kubemirror/feature/page/page-state.js")) {
            Matcher entry = ENTRY.matcher(line);
            if (entry.find()) {
                links.put(entry.group(1), entry.group(2));
            }
        }
        List<String> sections =
                read("src/docs/troubleshooting.md").stream()
                        .filter(line -> line.startsWith("### "))
                        .map(line -> line.substring(4).toLowerCase(Locale.ROOT))
                        .toList();

        assertThat(links).containsOnlyKeys(Stream.of(Kind.values()).map(Names::kebab).toList());
        assertThat(sections).containsAll(links.values());
    }

    private static List<String> read(String file) throws IOException {
        return Files.readAllLines(Path.of(file));
    }
}
