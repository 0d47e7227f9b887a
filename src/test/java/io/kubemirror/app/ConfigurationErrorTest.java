package io.kubemirror.app;

import static io.kubemirror.app.ConfigurationMistakes.explained;
import static io.kubemirror.app.ConfigurationMistakes.mistake;
import static io.kubemirror.app.ConfigurationMistakes.printed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.StandardEnvironment;

/** A mistake ends the start with its property, its place, and its remedy. */
@ExtendWith(OutputCaptureExtension.class)
class ConfigurationErrorTest {

    private static final String PODS = "kubemirror.resources[0].resource=pods";

    @ParameterizedTest(name = "{0}")
    @CsvFileSource(resources = "/io/kubemirror/app/configuration-errors.csv", delimiter = '|')
    void mistake_is_named_by_its_property_and_the_remedy(String mistake, String line) {
        String[] settings = (PODS + " " + mistake).split(" (?=kubemirror)");

        assertThat(mistake(settings)).startsWith(line);
    }

    /** Mistakes that only a start finds. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    kubemirror.upstream.files.directory=/no/objects | is no directory; create it, or correct the path
                    kubemirror.upstream.server=10.0.0.1:6443 | kubemirror.upstream.server: is not a URL
                    kubemirror.persistence.directory=/proc/none | is no directory and cannot be created
                    kubemirror.history.spam=1m | kubemirror.history.spam
                    history.span=5m | The elements [history.span] were left unbound
                    server.ssl.enabled=true | The server cannot start: SSL is enabled but no trust material
                    server.ssl.bundle=api | The server cannot start: SSL bundle name 'api'
                    server.port=99999 | The server cannot start: port out of range:99999
                    server.address=0.0.0.0 | every client that can reach an address other than loopback
                    """)
    void start_ends_with_the_property_and_the_remedy(
            String setting, String line, CapturedOutput output) {
        String property = setting.substring(0, setting.lastIndexOf('.', setting.indexOf('=')));

        assertThat(printed(output, PODS, setting)).contains(property, line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void missing_certificate_is_named(String watched, CapturedOutput output) {
        assertThat(
                        printed(
                                output,
                                PODS,
                                "server.ssl.bundle=own",
                                "spring.ssl.bundle.pem.own.reload-on-update=" + watched,
                                "spring.ssl.bundle.pem.own.keystore.certificate=/no/tls.crt",
                                "spring.ssl.bundle.pem.own.keystore.private-key=/no/tls.key"))
                .contains("The server cannot start", "/no/tls.", "spring.ssl.bundle");
    }

    /** Without the words of Boot for a value that cannot be converted. */
    @Test
    void combination_that_is_refused_is_named_with_its_reason(CapturedOutput output) {
        assertThat(printed(output, PODS, "kubemirror.resources[0].start=on-demand"))
                .contains("kubemirror.resources[0].start: on-demand needs the API server")
                .doesNotContain("null", "org.springframework");
    }

    @Test
    void missing_resources_are_named(CapturedOutput output) {
        assertThatThrownBy(() -> ApplicationLauncher.with().close());

        assertThat(explained(output))
                .contains("kubemirror.resources", "is empty", "application.yaml");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    resuorces: [nodes] | kubemirror.resuorces[0] | application.yaml] - 3:
                    history: {span: soon} | kubemirror.history.span | application.yaml] - 3:
                    resources: [pods | A configuration file is not YAML, line 4, column 1 | Correct the file
                    """)
    void mistake_in_a_file_is_named_with_its_place(
            String content, String name, String place, CapturedOutput output, @TempDir Path files)
            throws IOException {
        Files.writeString(
                files.resolve("application.yaml"),
                "kubemirror:\n  resources: [pods]\n  %s\n".formatted(content));

        assertThatThrownBy(() -> ApplicationLauncher.fromFiles(files + "/").close());

        assertThat(explained(output)).contains(name, place);
    }

    @Test
    void address_of_another_machine_is_named(CapturedOutput output) {
        assertThat(
                        printed(
                                output,
                                PODS,
                                "server.address=192.0.2.1",
                                "kubemirror.allow-unauthenticated=true"))
                .contains(
                        "The server cannot start: Failed to bind to /192.0.2.1", "server.address");
    }

    /** One port for both is in use by kubemirror itself where the build has fixed two. */
    @Test
    void port_that_is_taken_is_named_with_both_properties(CapturedOutput output) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();

            assertThat(printed(output, PODS, "server.port=" + port))
                    .contains("Port " + port + " is in use", "management.server.port");
        }
    }

    /** As Boot reports it; a test that runs as root may read every file. */
    @Test
    void file_that_cannot_be_read_is_named() {
        Throwable failure =
                new IllegalStateException(
                        new FileNotFoundException("./application.yaml (Permission denied)"));

        assertThat(ConfigurationFailures.line(failure, new StandardEnvironment()))
                .isEqualTo(
                        "A configuration file cannot be read: ./application.yaml (Permission"
                                + " denied). Let the user %s read it"
                                        .formatted(System.getProperty("user.name")));
    }

    /** Boot finds no files there, and goes on without them. */
    @ParameterizedTest
    @ValueSource(strings = {"/files/", "/*/"})
    void directory_that_cannot_be_searched_is_named(
            String location, CapturedOutput output, @TempDir Path parent) throws IOException {
        Path files = Files.createDirectory(parent.resolve("files"));
        Files.setPosixFilePermissions(files, Set.of());
        assumeThat(Files.isExecutable(files)).as("a user other than root").isFalse();

        assertThatThrownBy(() -> ApplicationLauncher.fromFiles(parent + location).close());

        assertThat(explained(output))
                .contains("spring.config.location: " + files + " cannot be searched; let the user");
    }

    @Test
    void line_of_a_mistake_has_the_property_and_the_reason() {
        assertThat(
                        ConfigurationFailures.line(
                                new InvalidConfigurationPropertyValueException(
                                        "kubemirror.history.span", "soon", "is no duration"),
                                new StandardEnvironment()))
                .contains("kubemirror.history.span", "is no duration")
                .doesNotContain("\n");
        assertThat(
                        ConfigurationFailures.line(
                                new IllegalStateException("hush-hush"), new StandardEnvironment()))
                .isEqualTo("cannot be read (IllegalStateException)");
    }
}
