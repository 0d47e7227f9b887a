package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import tools.jackson.databind.json.JsonMapper;

/** Tests the command line (operations.md). */
@ExtendWith(OutputCaptureExtension.class)
class CommandLineTest {

    private static final String PODS = "--kubemirror.resources=pods";
    private static final String NOWHERE = "http://127.0.0.1:1";

    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    @Test
    void help_is_that_of_the_page() throws IOException {
        assertThat(run("--help")).isEqualTo(CommandLine.WELL);
        assertThat(Files.readString(Path.of("src", "docs", "operations.md")))
                .contains("```\n" + output + "```\n");
    }

    @Test
    void version_names_program_revision_and_java() {
        assertThat(run("--version")).isEqualTo(CommandLine.WELL);
        assertThat(output.toString(StandardCharsets.UTF_8))
                .matches("kubemirror \\S+ \\(revision \\S+\\), Java \\S+\\R")
                .contains(", Java " + Runtime.version());
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/io/kubemirror/app/arguments.csv", quoteCharacter = '\'')
    void only_properties_start_the_server(String argument, boolean starts) {
        assertThat(KubeMirrorApplication.isProperty(argument)).isEqualTo(starts);
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/io/kubemirror/app/unknown-words.csv", quoteCharacter = '\'')
    void unknown_words_are_an_error_on_one_line_without_values(String words, String written) {
        assertThat(run(words.split(" ", -1))).isEqualTo(CommandLine.USAGE);
        assertThat(errors.toString(StandardCharsets.UTF_8).lines())
                .containsExactly(
                        "kubemirror: cannot read '" + written + "'; --help shows what it takes");
        assertThat(output.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--port=8080, --port, server.port",
        "--kubeconfig=a, --kubeconfig, kubemirror.upstream.kubeconfig",
        "check --config=a, check --config, spring.config.additional-location",
        "--resources=pods, --resources, kubemirror.resources",
        "--server.port 8080, --server.port 8080, server.port",
        "check --a.b=secret --c.d, check --a.b --c.d, c.d",
        "-n default, -n default, kubemirror.resources[0].namespaces"
    })
    void option_of_other_programs_or_without_a_value_names_the_property(
            String words, String written, String property) {
        assertThat(run(words.split(" ", -1))).isEqualTo(CommandLine.USAGE);
        assertThat(errors.toString(StandardCharsets.UTF_8).lines())
                .containsExactly(
                        "kubemirror: cannot read '%s'; use --%s=VALUE"
                                .formatted(written, property));
    }

    @Test
    void check_accepts_what_a_start_accepts_without_asking_the_api_server() {
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            assertThat(run("check", PODS, "--kubemirror.upstream.server=" + server.url()))
                    .isEqualTo(CommandLine.WELL);
            assertThat(output.toString(StandardCharsets.UTF_8).lines())
                    .containsExactly("The configuration is valid.");
            assertThat(server.requests().all()).isEmpty();
        }
    }

    /** The second is not found by binding alone. */
    @ParameterizedTest
    @CsvSource({
        "--kubemirror.resources=Pod, kubemirror.resources",
        "--server.address=0.0.0.0, every client that can reach"
    })
    void check_ends_as_a_start_does(String argument, String named, CapturedOutput printed) {
        String upstream = "--kubemirror.upstream.server=" + NOWHERE;
        String last = argument.startsWith(PODS.split("=", 2)[0]) ? argument : PODS;

        assertThat(run("check", upstream, argument, last)).isEqualTo(CommandLine.PROBLEM);

        assertThat(printed).contains("APPLICATION FAILED TO START").contains(named);
        assertThat(output.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    /** As in a pipeline that has what the chart renders, but none of its Secrets. */
    @Test
    void check_without_files_needs_neither_certificates_nor_a_kubeconfig() {
        assertThat(run(unread("--server.port=8001"))).isEqualTo(CommandLine.WELL);
        assertThat(output.toString(StandardCharsets.UTF_8).lines())
                .containsExactly("The configuration is valid.");
    }

    @ParameterizedTest
    @CsvSource({
        "--kubemirror.resources=Pod, kubemirror.resources",
        "--kubemirror.resource=pods, kubemirror.resource",
        "--kubemirror.access.authentication=client-certificate, server.ssl.client-auth"
    })
    void check_without_files_finds_mistakes(String argument, String named, CapturedOutput printed) {
        assertThat(run(unread(argument))).isEqualTo(CommandLine.PROBLEM);

        assertThat(printed).contains("APPLICATION FAILED TO START").contains(named);
    }

    private static String[] unread(String argument) {
        return new String[] {
            "check",
            "--no-files",
            "--spring.ssl.bundle.pem.api.keystore.certificate=/nowhere/tls.crt",
            "--spring.ssl.bundle.pem.api.keystore.private-key=/nowhere/tls.key",
            "--server.ssl.bundle=api",
            "--kubemirror.upstream.kubeconfig=/nowhere/kubeconfig",
            argument,
            argument.startsWith("--kubemirror.resources") ? argument : PODS
        };
    }

    @Test
    void diagnose_prints_the_diagnosis_of_a_running_kubemirror_problems_first() {
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            String upstream = "kubemirror.upstream.server=" + server.url();
            String pods = "kubemirror.resources[0].resource=pods";
            try (var kubemirror = ApplicationLauncher.with(upstream, pods)) {
                String url =
                        ApplicationLauncher.url(kubemirror, "local.management.port").toString();
                WaitLimit.until(() -> run("health", url + "/") == CommandLine.WELL);
                output.reset();

                assertThat(run("diagnose", url)).isEqualTo(CommandLine.WELL);

                assertThat(
                                JsonMapper.shared()
                                        .readTree(output.toString(StandardCharsets.UTF_8))
                                        .at("/mirrors/0/name"))
                        .hasToString("\"pods\"");
                assertThat(
                                output.toString(StandardCharsets.UTF_8)
                                        .lines()
                                        .skip(2)
                                        .findFirst()
                                        .orElseThrow())
                        .isEqualTo("  \"findings\" : [ ],");
                RestClient api = ApplicationLauncher.api(kubemirror);
                assertThat(api.get("/actuator/health").body()).contains("management.server.port");
                errors.reset();
                String other = ApplicationLauncher.url(kubemirror, "local.server.port").toString();
                assertThat(run("diagnose", other)).isEqualTo(CommandLine.SILENT);
                assertThat(errors.toString(StandardCharsets.UTF_8))
                        .contains("HTTP 404; ask the management port");
                server.stop();
                WaitLimit.until(() -> run("diagnose", url) == CommandLine.PROBLEM);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({NOWHERE, "nonsense", "ftp://127.0.0.1/", "'not a URL'"})
    void process_that_does_not_answer_is_an_error_on_one_line(String url) {
        assertThat(run("diagnose", url)).isEqualTo(CommandLine.SILENT);
        assertThat(errors.toString(StandardCharsets.UTF_8).lines())
                .singleElement()
                .asString()
                .startsWith("kubemirror at " + url + " does not answer: ");
        assertThat(run("health", url)).isEqualTo(CommandLine.PROBLEM);
    }

    private int run(String... words) {
        return new CommandLine(new PrintStream(output, true), new PrintStream(errors, true))
                .run(List.of(words));
    }
}
