package io.kubemirror.clients;

import static io.kubemirror.testing.scripted.ServedTypes.CONFIGMAPS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.model.Status;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.SyntheticLoad;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ArmedFault;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ScriptedSettings;
import io.kubemirror.testing.scripted.ServerFault;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.context.ConfigurableApplicationContext;

/** Takes the pictures of the status page for operations.md: {@code -Dpage.pictures=true}. */
@EnabledIfSystemProperty(named = "page.pictures", matches = "true")
class PageScreenshotsTest {

    private static final Path DIRECTORY = Path.of("src", "docs");
    private static final long LARGEST = 400_000;

    @Test
    void status_page_is_captured_at_two_widths_in_both_color_schemes() throws IOException {
        try (ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
                ScriptedApiServer server =
                        ScriptedApiServer.create(
                                ScriptedSettings.deterministic()
                                        .withClock(InstantSource.system()));
                SyntheticLoad life = new SyntheticLoad(server, "shop")) {
            life.begin(scheduler, Duration.ofMillis(400));
            try (ConfigurableApplicationContext kubemirror = kubemirror(server);
                    WatchReader watch = watch(kubemirror);
                    ArmedFault _ =
                            server.faultUntilWithdrawn(
                                    ServerFault.onWatch(CONFIGMAPS)
                                            .or(ServerFault.onList(CONFIGMAPS)),
                                    ServerFault.respond(
                                            new Status(403, "Forbidden", "not allowed", null)));
                    Chromium chromium = new Chromium();
                    BrowserTab tab = new BrowserTab(chromium)) {
                assertThat(watch.next()).isNotNull();
                server.compact();
                server.restart();
                RestClient api = ApplicationLauncher.api(kubemirror);
                var _ =
                        scheduler.scheduleAtFixedRate(
                                () -> api.get("/api/v1/pods"), 0, 200, TimeUnit.MILLISECONDS);
                take(tab, kubemirror, "wide", 1280, 2400);
                take(tab, kubemirror, "phone", 390, 2400);
            }
            scheduler.shutdownNow();
        }
    }

    private static void take(
            BrowserTab tab,
            ConfigurableApplicationContext kubemirror,
            String name,
            int width,
            int height)
            throws IOException {
        tab.resize(width, height);
        tab.open(ApplicationLauncher.url(kubemirror, "local.management.port"));
        tab.await("document.querySelector('svg .stroke')?.getAttribute('d')?.length > 420");
        tab.await("document.querySelectorAll('#events tbody tr').length > 20");
        tab.await("document.querySelectorAll('#findings li').length > 0");
        tab.look("document.querySelector('#search [name=name]').value = 'shop'");
        tab.look("document.querySelector('#search').requestSubmit()");
        tab.await("document.querySelector('#found button') !== null");
        tab.look("document.querySelector('#found button').click()");
        tab.await("!document.getElementById('compare').hidden");
        tab.look("document.getElementById('compare').click()");
        tab.await("document.querySelectorAll('#difference tbody tr').length > 0");
        tab.look("document.activeElement.blur(); scrollTo(0, 0)");
        for (String scheme : new String[] {"light", "dark"}) {
            tab.prefer("prefers-color-scheme", scheme);
            Path file = DIRECTORY.resolve("page-" + name + "-" + scheme + ".png");
            tab.picture(file);
            assertThat(Files.size(file)).isLessThan(LARGEST);
        }
    }

    private static ConfigurableApplicationContext kubemirror(ScriptedApiServer server) {
        return ApplicationLauncher.mirroring(
                server.url(),
                "pods",
                "kubemirror.page.show-contents=*",
                "kubemirror.resources[1].resource=configmaps",
                "kubemirror.resources[2].resource=deployments.apps",
                "kubemirror.resources[3].resource=namespaces");
    }

    private static WatchReader watch(ConfigurableApplicationContext kubemirror) {
        return ApplicationLauncher.api(kubemirror).watch("/api/v1/pods?watch=1");
    }
}
