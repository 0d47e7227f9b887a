package io.kubemirror.clients;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.GeneratedPage;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The programs of the page about clients show all pods and changes, also over a lost connection and
 * an expired revision, and the page contains them as they are.
 */
class LanguagesTest {

    private static final Path PROGRAMS = Path.of("src", "test", "programs", "languages");

    /** The command of a program without its argument, the address; skips what is not installed. */
    private static List<String> command(String file) {
        return switch (file) {
            case "watch.sh" -> {
                ExternalProgram.JQ.demand();
                yield List.of("bash", file);
            }
            case "watch.py" -> {
                ExternalProgram.PYTHON3.demand();
                yield List.of("python3", file);
            }
            case "watch.mjs" -> {
                ExternalProgram.NODE.demand();
                yield List.of("node", file);
            }
            case "watch.go" -> {
                Path built = Path.of("target", "programs", "bin", "watch").toAbsolutePath();
                ExternalProgram.demand(built);
                yield List.of(built.toString());
            }
            default -> {
                Path java = Path.of(System.getProperty("java.home"), "bin", "java");
                yield List.of(java.toString(), file);
            }
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"watch.sh", "watch.py", "watch.go", "Watch.java", "watch.mjs"})
    void program_prints_each_change_once_and_survives_a_410(String program) {
        List<String> command = command(program);
        try (ScriptedApiServer server = ScriptedApiServer.create();
                TcpRelay line = new TcpRelay();
                ConfigurableApplicationContext first = kubemirror(server)) {
            server.create(pod("default", "a"));
            awaitPods(first, 1);
            line.lead(ApplicationLauncher.port(first));
            try (ProgramRun run = start(command, line.url())) {
                await(run, "ADDED a");
                server.create(pod("default", "b"));
                await(run, "ADDED a", "ADDED b");
                server.create(pod("default", "c"));
                await(run, "ADDED a", "ADDED b", "ADDED c");
                line.cut();
                server.delete(PODS, "default", "a");
                line.lead(ApplicationLauncher.port(first));
                await(run, "ADDED a", "ADDED b", "ADDED c", "DELETED a");
                line.cut();
                server.create(pod("default", "d"));
                try (ConfigurableApplicationContext second = kubemirror(server)) {
                    line.lead(ApplicationLauncher.port(second));
                    assertThat(run.output().await(lines -> lines.contains("ADDED d")))
                            .as(() -> run.output().all().toString())
                            .isTrue();
                    assertThat(line.answered()).contains("\"code\":410");
                }
            }
        }
    }

    @Test
    void page_shows_each_pod_and_whether_it_is_current() {
        ExternalProgram.CHROMIUM.demand();
        try (ScriptedApiServer server = ScriptedApiServer.create();
                TcpRelay line = new TcpRelay();
                ConfigurableApplicationContext kubemirror = kubemirror(server);
                PageServer pages =
                        new PageServer(PROGRAMS.resolve("watch.html"), line.url(), _ -> {});
                Chromium chromium = new Chromium();
                BrowserTab tab = new BrowserTab(chromium)) {
            server.create(pod("default", "a"));
            awaitPods(kubemirror, 1);
            line.lead(ApplicationLauncher.port(kubemirror));
            tab.open(URI.create("http://127.0.0.1:" + pages.port() + "/page"));
            tab.await("document.body.innerText.includes('synced')");
            tab.await("document.querySelector('#pods').innerText.trim() === 'a'");
            line.cut();
            tab.await("document.body.innerText.includes('not current')");
            server.create(pod("default", "b"));
            server.delete(PODS, "default", "a");
            try (ConfigurableApplicationContext second = kubemirror(server)) {
                line.lead(ApplicationLauncher.port(second));
                // The page reloads itself meanwhile, which ends what a tab waits for.
                Awaitility.await()
                        .untilAsserted(
                                () ->
                                        assertThat(tab.look("document.body.innerText").asString())
                                                .contains("synced")
                                                .endsWith("b"));
                assertThat(line.answered()).contains("event: ERROR");
            }
        }
    }

    /** Writes the page if {@code -Dlanguages.write=true} is set. */
    @Test
    void page_contains_the_tested_programs() throws IOException {
        GeneratedPage page = GeneratedPage.section("languages", "clients");
        Matcher blocks =
                Pattern.compile("(?s)(<!-- languages/(\\S+) -->\n```\\w+\n)(.*?)(```\n)")
                        .matcher(Files.readString(page.file()));
        List<String> shown = new ArrayList<>();
        String text =
                blocks.replaceAll(
                        found -> {
                            shown.add(found.group(2));
                            return block(found);
                        });

        page.assertMatches(text);
        try (Stream<Path> programs = Files.list(PROGRAMS)) {
            assertThat(programs.map(program -> program.getFileName().toString()))
                    .containsAll(shown)
                    .allMatch(text::contains);
        }
    }

    private static String block(MatchResult found) {
        try {
            String program = Files.readString(PROGRAMS.resolve(found.group(2)));
            assertThat(program.lines().filter(LanguagesTest::isCode))
                    .as(found.group(2))
                    .hasSizeLessThanOrEqualTo(20);
            return Matcher.quoteReplacement(found.group(1) + program + found.group(4));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Everything but blank lines, comments, and imports. */
    private static boolean isCode(String line) {
        return !line.isBlank()
                && !line.matches("\\s*(//|/\\*\\*|#).*|(import|use|using) .*;|import \\(|\\)")
                && !line.matches("\t\\w* ?\"[^\"]+\"");
    }

    private static ConfigurableApplicationContext kubemirror(ScriptedApiServer server) {
        return ApplicationLauncher.mirroring(server.url(), "pods");
    }

    private static void awaitPods(ConfigurableApplicationContext kubemirror, int count) {
        RestClient client = ApplicationLauncher.api(kubemirror);
        String path = "/api/v1/namespaces/default/pods?resourceVersion=0";
        Awaitility.await().until(() -> client.get(path).json().path("items").size() == count);
    }

    private static ProgramRun start(List<String> command, URI url) {
        List<String> all = new ArrayList<>(command);
        all.add(url.toString());
        return ProgramRun.start(PROGRAMS, all);
    }

    private static void await(ProgramRun run, String... lines) {
        run.output().await(all -> all.size() >= lines.length);
        assertThat(run.output().all()).containsExactly(lines);
    }
}
