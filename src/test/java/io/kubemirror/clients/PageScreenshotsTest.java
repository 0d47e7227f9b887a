package io.kubemirror.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.ApplicationLauncher;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.SyntheticLoad;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.context.ConfigurableApplicationContext;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Takes the pictures of the status page for operations.md: {@code -Dpage.pictures=true}. */
@EnabledIfSystemProperty(named = "page.pictures", matches = "true")
class PageScreenshotsTest {

    private static final Path DIRECTORY = Path.of("src", "docs");
    private static final long LARGEST = 200_000;

    @Test
    void status_page_is_captured_in_both_color_schemes() throws IOException {
        try (ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
                ScriptedApiServer server = ScriptedApiServer.create();
                SyntheticLoad life = new SyntheticLoad(server, "shop")) {
            life.begin(scheduler, Duration.ofMillis(400));
            try (ConfigurableApplicationContext kubemirror = kubemirror(server);
                    WatchReader watch = watch(kubemirror);
                    Chromium chromium = new Chromium();
                    BrowserTab tab = new BrowserTab(chromium)) {
                assertThat(watch.next()).isNotNull();
                tab.resize(1280, 840);
                tab.open(URI.create("http://127.0.0.1:" + port(kubemirror, "management")));
                tab.await("document.querySelector('svg .stroke')?.getAttribute('d')?.length > 420");
                tab.await("document.querySelectorAll('#events tbody tr').length > 20");
                take(tab, "light");
                take(tab, "dark");
            }
            scheduler.shutdownNow();
        }
    }

    private static void take(BrowserTab tab, String scheme) throws IOException {
        tab.prefer("prefers-color-scheme", scheme);
        Path file = DIRECTORY.resolve("page-" + scheme + ".png");
        tab.picture(file);
        assertThat(Files.size(file)).isLessThan(LARGEST);
    }

    private static ConfigurableApplicationContext kubemirror(ScriptedApiServer server) {
        return ApplicationLauncher.with(
                "kubemirror.upstream.server=" + server.url(),
                "kubemirror.resources[0].resource=pods",
                "kubemirror.resources[1].resource=configmaps",
                "kubemirror.resources[2].resource=deployments.apps",
                "kubemirror.resources[3].resource=namespaces");
    }

    private static WatchReader watch(ConfigurableApplicationContext kubemirror) {
        return RestClient.of(URI.create("http://127.0.0.1:" + port(kubemirror, "server")))
                .watch("/api/v1/pods?watch=1");
    }

    private static int port(ConfigurableApplicationContext kubemirror, String of) {
        return kubemirror
                .getEnvironment()
                .getRequiredProperty("local." + of + ".port", Integer.class);
    }
}
