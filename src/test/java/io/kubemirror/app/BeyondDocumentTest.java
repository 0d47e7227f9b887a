package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.clients.ExternalProgram;
import io.kubemirror.clients.ProgramRun;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The commands about what the API server does not have print what is printed on the page, but for
 * hashes and the order of lines. With {@code -Dbeyond.write=true} the page is written.
 */
@WithApiServer
class BeyondDocumentTest {

    private static final Path PAGE = Path.of("src", "docs", "api.md");
    private static final Pattern BLOCK =
            Pattern.compile("```console\n\\$ (?<command>.*)\n(?<output>(?:.*\n)*?)```");
    private static final Pattern SETTINGS = Pattern.compile("```shell\n(mirror=(?:.*\n)*?)```");
    private static final String END = "@@ end of a command";

    @Test
    void every_command_prints_what_the_page_says(
            ApiServer server, TestNamespace namespace, @TempDir Path directory) throws IOException {
        ExternalProgram.KUBECTL.demand();
        ExternalProgram.JQ.demand();
        String page = Files.readString(PAGE);
        List<String> printed;
        try (ConfigurableApplicationContext kubemirror =
                ApplicationLauncher.mirroring(
                        server.url(),
                        "pods",
                        "kubemirror.pass-through.mode=own",
                        "kubemirror.resources[1].resource=deployments.apps")) {
            RestClient client = ApplicationLauncher.api(kubemirror);
            WaitLimit.until(() -> client.get("/readyz").code() == 200);
            printed =
                    run(
                            script(
                                    page,
                                    ApplicationLauncher.url(kubemirror, "local.server.port"),
                                    namespace.name()),
                            directory);
        }
        List<MatchResult> blocks = BLOCK.matcher(page).results().toList();
        assertThat(printed).hasSameSizeAs(blocks).hasSizeGreaterThan(10);
        if (Boolean.getBoolean("beyond.write")) {
            Files.writeString(PAGE, withOutput(page, printed));
            return;
        }
        for (int i = 0; i < blocks.size(); i++) {
            assertThat(lines(printed.get(i)))
                    .as(blocks.get(i).group("command"))
                    .isEqualTo(lines(blocks.get(i).group("output")));
        }
    }

    private static String script(String page, URI url, String namespace) {
        Matcher settings = SETTINGS.matcher(page);
        assertThat(settings.find()).isTrue();
        StringBuilder script =
                // A stream whose reader has ended keeps no output open until it ends itself.
                new StringBuilder("exec 2>errors\n")
                        .append(
                                settings.group(1)
                                        .replace("http://127.0.0.1:8001", url.toString())
                                        .replace("=shop\n", "=" + namespace + "\n"));
        BLOCK.matcher(page)
                .results()
                .forEach(
                        block ->
                                script.append(block.group("command"))
                                        .append("\necho '" + END + "'\n"));
        return script.toString();
    }

    private static List<String> run(String script, Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("script"), script);
        Map<String, String> environment =
                Map.of(
                        "HOME",
                        directory.toString(),
                        "PATH",
                        Objects.requireNonNull(System.getenv("PATH")));
        try (ProgramRun program =
                ProgramRun.start(directory, List.of("/bin/bash", file.toString()), environment)) {
            String text = program.text() + "\n";
            return List.of(text.split(Pattern.quote(END + "\n")));
        }
    }

    private static List<String> lines(String output) {
        return output.replaceAll("\\b[0-9a-f]{32}\\b", "hash").lines().sorted().toList();
    }

    private static String withOutput(String page, List<String> printed) {
        var outputs = printed.iterator();
        return BLOCK.matcher(page)
                .replaceAll(
                        block ->
                                Matcher.quoteReplacement(
                                        "```console\n$ "
                                                + block.group("command")
                                                + "\n"
                                                + outputs.next()
                                                + "```"));
    }
}
