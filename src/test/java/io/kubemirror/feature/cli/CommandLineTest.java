package io.kubemirror.feature.cli;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ConfigurationCommands;
import io.kubemirror.clients.ProgramRun;
import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests the command line (command-line.md). */
@ExtendWith(OutputCaptureExtension.class)
class CommandLineTest {

    private static final String NOBODY = "--kubemirror.upstream.server=http://127.0.0.1:1";
    private static final String PODS = "--kubemirror.resources=pods";

    @TempDir Path directory;

    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"--help", "help", "-h"})
    void help_names_all_commands(String word) {
        assertThat(run(word)).isZero();
        assertThat(output.toString())
                .startsWith("Usage: kubemirror [--PROPERTY=VALUE ...] | COMMAND\n")
                .contains("\n  check ", "\n  config ", "\n  diagnose ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "-V", "version"})
    void version_names_program_revision_and_java(String word) {
        assertThat(run(word)).isZero();
        assertThat(output.toString())
                .matches("kubemirror \\S+ \\(revision \\S+\\), Java \\S+\\R")
                .contains(", Java " + Runtime.version());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    serve                | kubemirror: unknown word 'serve'; see 'kubemirror --help'
                    dignose              | kubemirror: unknown word 'dignose'; did you mean 'diagnose'?
                    --resource=pods      | kubemirror: unknown option '--resource'; see 'kubemirror --help'
                    --a.b=c dignose      | kubemirror: unknown word 'dignose'; did you mean 'diagnose'?
                    --a.b=c --d.e        | kubemirror: --d.e has no value; write --d.e=VALUE
                    --server.port 8080   | kubemirror: --server.port has no value; write --server.port=VALUE
                    diagnose --urll=x    | kubemirror diagnose: unknown option '--urll'; did you mean '--url'?
                    diagnose --url=x     | kubemirror diagnose: --url is not a URL; use a URL such as http://127.0.0.1:8002
                    check --none         | kubemirror check: unknown option '--none'; see 'kubemirror check --help'
                    config /no/such.yaml | kubemirror config: cannot read the file '/no/such.yaml'; see 'kubemirror config --help'
                    """)
    void unknown_word_or_option_is_an_error_on_one_line(String words, String line) {
        assertThat(run(words.split(" ", -1))).isEqualTo(2);
        assertThat(errors.toString().lines()).containsExactly(line);
        assertThat(output.toString()).isEmpty();
    }

    @Test
    void unknown_word_ends_the_process_with_2() {
        try (ProgramRun run = ProgramRun.start(Path.of("."), KubemirrorProcess.command("serve"))) {
            assertThat(run.outcome()).contains("unknown word 'serve'").endsWith("\nexit code 2");
        }
    }

    @Test
    void check_accepts_a_file_that_a_start_accepts_without_asking_the_api_server()
            throws IOException {
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            Path file =
                    file(
                            """
                            kubemirror:
                              upstream:
                                server: %s
                              resources:
                                - pods
                                - resource: deployments.apps
                                  page-size: 7
                            """
                                    .formatted(server.url()));

            assertThat(run("check", file.toString())).as(errors::toString).isZero();

            assertThat(output.toString().lines())
                    .containsExactly("The configuration is valid: " + file);
            assertThat(server.requests().all()).isEmpty();
        }
    }

    @Test
    void check_ends_with_the_line_of_a_start(CapturedOutput printed) throws IOException {
        Path file =
                file(
                        """
                        kubemirror:
                          upstream:
                            server: http://127.0.0.1:1
                          resources:
                            - resource: pods
                              lable-selector: a
                        """);

        assertThat(run("check", file.toString())).isEqualTo(1);

        assertThat(printed.getErr().lines())
                .containsExactly(
                        "kubemirror cannot start: kubemirror.resources[0].lable-selector ("
                                + file
                                + ", line 6): unknown property; did you mean"
                                + " kubemirror.resources[0].label-selector?");
        assertThat(printed.getOut()).isEmpty();
        assertThat(output.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--kubemirror.resources=pods", "--kubemirror.resources[0].resource=pods"})
    void check_says_that_an_argument_replaces_the_resources_of_a_file(
            String argument, CapturedOutput printed) throws IOException {
        Path file =
                file(
                        """
                        kubemirror:
                          resources:
                            - resource: nodes
                              drop-fields: [metadata.managedFields]
                        """);

        assertThat(run("check", NOBODY, argument, file.toString())).isEqualTo(1);

        assertThat(printed.getErr().lines())
                .singleElement()
                .asString()
                .startsWith("kubemirror cannot start: kubemirror.resources[0].")
                .contains(" (" + file + ", line ")
                .endsWith(
                        "): has no effect, because another source, such as the command line,"
                                + " replaces kubemirror.resources; set all resources in one place");
    }

    /** What binding alone does not find. */
    @Test
    void check_finds_contradictions_with_other_properties(CapturedOutput printed) {
        assertThat(run("check", NOBODY, PODS, "--server.address=0.0.0.0")).isEqualTo(1);
        assertThat(printed.getErr()).contains("cannot start: server.address: every client");
    }

    @Test
    void check_without_credentials_needs_no_kubeconfig(CapturedOutput printed) {
        String missing = "--kubemirror.upstream.kubeconfig=/no/such/file";

        assertThat(run("check", PODS, missing)).isEqualTo(1);
        assertThat(printed.getErr()).contains("kubemirror.upstream.kubeconfig: /no/such/file");

        assertThat(run("check", "--no-credentials", PODS, missing)).isZero();
    }

    @Test
    void config_prints_values_with_their_sources_and_without_secrets() throws IOException {
        Path file =
                file(
                        """
                        kubemirror:
                          upstream:
                            server: http://me:hidden@127.0.0.1:1
                            etcd:
                              endpoints: https://127.0.0.1:1
                              acknowledge-no-authorization: true
                              user: u
                              password: hidden
                          resources:
                            - pods
                            - resource: nodes
                              page-size: 7
                          pass-through:
                            mode: off
                        server:
                          ssl:
                            key-store-password: hidden
                        """);

        assertThat(run("config", "--server.port=8011", file.toString())).isZero();

        assertThat(output.toString())
                .doesNotContain("hidden", "logging.file", "# command\n")
                .containsPattern(
                        "(?m)^kubemirror.upstream.server: 'http://\\*{6}@127.0.0.1:1' +# .*, line"
                                + " 3$")
                .containsPattern("(?m)^kubemirror.upstream.etcd.password: '\\*{6}' +# .*, line 8$")
                .containsPattern("(?m)^server.ssl.key-store-password: '\\*{6}' +# .*, line 17$")
                .containsPattern("(?m)^kubemirror.resources\\[0].resource: pods +# .*, line 10$")
                .containsPattern("(?m)^kubemirror.resources\\[1].page-size: 7 +# .*, line 12$")
                .containsPattern("(?m)^kubemirror.history.max-bytes: 64MB +# default$")
                .containsPattern("(?m)^kubemirror.pass-through.mode: 'off' +# .*, line 14$")
                .containsPattern("(?m)^server.port: 8011 +# command line$");
    }

    @Test
    void config_leaves_out_defaults() throws IOException {
        Path file = file("kubemirror:\n  resources: [pods]\n");

        assertThat(run("config", "--changed", "--server.port=8011", file.toString())).isZero();

        // The tests themselves set the properties of the system.
        assertThat(output.toString().lines())
                .filteredOn(line -> !line.contains("# system property"))
                .filteredOn(line -> !line.startsWith("spring.config.location"))
                .extracting(line -> line.replaceFirst(" +#.*", ""))
                .containsExactlyInAnyOrder(
                        "kubemirror.resources[0].resource: pods", "server.port: 8011");
    }

    @Test
    void what_config_prints_is_a_configuration_with_the_same_values() throws IOException {
        assertThat(run("config", NOBODY, PODS, "--kubemirror.history.span=90s")).isZero();
        String printed = output.toString();
        Path file = file(printed);
        output.getBuffer().setLength(0);

        assertThat(run("config", file.toString())).as(errors::toString).isZero();

        assertThat(values(output.toString())).isEqualTo(values(printed));
    }

    /** The page has the help of each command as it is printed. */
    @Test
    void page_has_the_help_of_each_command() throws IOException {
        String page = Files.readString(Path.of("src", "docs", "command-line.md"));
        for (String[] words :
                List.of(
                        new String[] {"--help"},
                        new String[] {"check", "--help"},
                        new String[] {"config", "--help"},
                        new String[] {"diagnose", "--help"})) {
            output.getBuffer().setLength(0);
            assertThat(run(words)).isZero();
            assertThat(page).contains("```\n" + output + "```\n");
        }
    }

    private int run(String... words) {
        return CommandLineTool.run(
                Arrays.asList(words),
                new PrintWriter(output, true),
                new PrintWriter(errors, true),
                ConfigurationCommands.all());
    }

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("kubemirror.yaml"), text);
    }

    /** The lines without their sources. */
    private static Set<String> values(String printed) {
        return printed.lines()
                .filter(line -> !line.startsWith("spring.config.location"))
                .map(line -> line.replaceFirst(" +#.*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
