package io.kubemirror.clients;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.JsonTrees;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/**
 * Compares pictures of the status page, in two widths and both color schemes, with committed ones.
 * The page gets a recording. Its letters are those of a font that has only boxes, so that the
 * pictures do not depend on the fonts of the machine. With {@code -Dpage.pictures=true} it writes
 * the committed ones again, and those of operations.md, which have real letters.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
class PageScreenshotsTest {

    private static final boolean WRITE = Boolean.getBoolean("page.pictures");
    private static final Path DOCUMENTS = Path.of("src", "docs");
    private static final Path RESOURCES =
            Path.of("src", "test", "resources", "io", "kubemirror", "clients");
    private static final long LARGEST = 400_000;

    /** The height of the part of the page that operations.md shows. */
    private static final int SHOWN = 2400;

    private final ConfigurableApplicationContext kubemirror;
    private final Chromium chromium;

    PageScreenshotsTest() {
        ExternalProgram.CHROMIUM.demand();
        kubemirror = ApplicationLauncher.with("kubemirror.resources[0].resource=pods");
        chromium = new Chromium();
    }

    @AfterAll
    void close() {
        chromium.close();
        kubemirror.close();
    }

    @ParameterizedTest(name = "{0} {2}")
    @CsvSource({
        "wide, 1440, light",
        "wide, 1440, dark",
        "phone, 390, light",
        "phone, 390, dark",
    })
    void page_looks_as_in_the_committed_picture(String name, int width, String scheme)
            throws IOException {
        String file = "page-" + name + "-" + scheme + ".png";
        try (BrowserTab tab = open(width, scheme)) {
            if (WRITE) {
                Path shown = DOCUMENTS.resolve(file);
                tab.resize(width, SHOWN);
                Files.write(shown, tab.picture());
                assertThat(Files.size(shown)).isLessThan(LARGEST);
            }
            tab.look(boxes());
            byte[] png = capture(tab, width);
            Picture picture = Picture.of(png);
            Path kept = Files.createDirectories(Path.of("target", "pictures")).resolve(file);
            Files.write(kept, png);
            if (WRITE) {
                picture.write(RESOURCES.resolve(file));
            }
            Picture committed = Picture.read(RESOURCES.resolve(file));
            assertThat(picture.looksLike(committed))
                    .as("%s pixels differ; see %s", picture.others(committed), kept)
                    .isTrue();
        }
    }

    /** What the pictures are for: that nobody changes the page without seeing it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                ".title { margin-bottom: .8rem }",
                ".pill { padding: .1rem 1rem }",
                "#timeline .w20 { width: 19em }",
                ":root { --warn: #b06a10 }",
                ".plot { visibility: hidden }",
                "#pause { order: -1 }",
            })
    void picture_of_a_changed_page_differs(String change) throws IOException {
        try (BrowserTab tab = open(1440, "light")) {
            tab.look(boxes());
            tab.look(
                    """
                    (sheet => {
                        sheet.replaceSync('%s');
                        document.adoptedStyleSheets.push(sheet);
                    })(new CSSStyleSheet())
                    """
                            .formatted(change));
            Picture changed = Picture.of(capture(tab, 1440));

            assertThat(changed.looksLike(Picture.read(RESOURCES.resolve("page-wide-light.png"))))
                    .isFalse();
        }
    }

    @Test
    void recording_has_the_members_of_what_the_page_receives() throws Exception {
        URI state =
                ApplicationLauncher.url(kubemirror, "local.management.port")
                        .resolve("/page/stream");
        try (HttpClient client = HttpClient.newHttpClient();
                Stream<String> lines =
                        client.send(HttpRequest.newBuilder(state).build(), BodyHandlers.ofLines())
                                .body()) {
            JsonNode sent =
                    JsonTrees.parse(
                            lines.filter(line -> line.startsWith("data: {\"diagnosis\""))
                                    .findFirst()
                                    .orElseThrow()
                                    .substring("data: ".length()));
            client.shutdownNow();
            JsonNode recorded = JsonTrees.parse(recording()).path("state");
            for (String member :
                    List.of("", "/diagnosis/mirrors/0", "/diagnosis/mirrors/0/state")) {
                assertThat(recorded.at(member).propertyNames())
                        .isEqualTo(sent.at(member).propertyNames());
            }
        }
    }

    @Test
    void resources_have_names_for_people_in_all_tables() throws IOException {
        try (BrowserTab tab = open(1440, "light")) {
            assertThat(tab.look("document.querySelector('main').innerText").asString())
                    .contains("\tpods in shop app=web\t")
                    .doesNotContain("app=web;");
        }
    }

    private BrowserTab open(int width, String scheme) throws IOException {
        BrowserTab tab = new BrowserTab(chromium);
        String script = Files.readString(Path.of("src", "test", "javascript", "page-recording.js"));
        tab.prepare(script.replace("RECORDING", recording()));
        tab.prefer("prefers-color-scheme", scheme);
        tab.resize(width, 900);
        tab.open(ApplicationLauncher.url(kubemirror, "local.management.port"));
        tab.await("document.querySelectorAll('#events tbody tr').length > 20");
        tab.await("document.querySelectorAll('#requests tbody tr').length > 1");
        tab.look("document.activeElement.blur(); scrollTo(0, 0)");
        return tab;
    }

    /** Takes a picture of the whole page, and checks that the window has no reason to scroll. */
    private static byte[] capture(BrowserTab tab, int width) {
        tab.resize(width, 900);
        int height = tab.look("document.documentElement.scrollHeight").asInt();
        tab.resize(width, height);
        tab.await("innerHeight === " + height);
        assertThat(tab.look("document.documentElement.scrollWidth").asInt()).isEqualTo(width);
        return tab.picture();
    }

    /**
     * Writes all texts in boxes whose widths are not rounded, as each machine does in its own way.
     * A font from bytes is no request, which the page forbids.
     */
    private static String boxes() throws IOException {
        byte[] font = Files.readAllBytes(RESOURCES.resolve("blocks.ttf"));
        return """
        (async () => {
            const bytes = Uint8Array.from(atob('%s'), byte => byte.charCodeAt(0));
            document.fonts.add(await new FontFace('boxes', bytes).load());
            const sheet = new CSSStyleSheet();
            sheet.replaceSync(`* {
                font-family: boxes !important;
                font-synthesis: none !important;
                text-rendering: geometricPrecision !important;
            }`);
            document.adoptedStyleSheets.push(sheet);
        })()
        """
                .formatted(Base64.getEncoder().encodeToString(font));
    }

    private static String recording() throws IOException {
        return Files.readString(RESOURCES.resolve("page-recording.json"));
    }
}
