package io.kubemirror.app;

import static io.kubemirror.app.ConfigurationMistakes.explained;
import static io.kubemirror.app.ConfigurationMistakes.mistake;
import static io.kubemirror.app.ConfigurationMistakes.printed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
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
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    kubemirror.resuorces[0].resource=pods | kubemirror.resuorces[0].resource: unknown property
                    kubemirror.resources[0].lable-selector=a | kubemirror.resources[0].lable-selector: unknown property
                    kubemirror.resources[0].label-selector.app=db | kubemirror.resources[0].label-selector
                    kubemirror.resources[0].namespaces.default= | kubemirror.resources[0].namespaces.default: unknown property
                    kubemirror.resources[0].resource=Pod | kubemirror.resources[0]: resource is no name
                    kubemirror.resources[0].resource=* | kubemirror.resources[0]: a pattern stands for many
                    kubemirror.resources[0].start=on-demand | kubemirror.resources[0].start: on-demand needs
                    kubemirror.resources[0].namespaces=a,../b | kubemirror.resources[0]: namespaces has
                    kubemirror.resources[0].label-selector=a in ( | kubemirror.resources[0].label-selector: unable to parse
                    kubemirror.resources[0].drop-fields=status,a..b | kubemirror.resources[0].drop-fields
                    kubemirror.resources[0].drop-fields=.metadata.name | kubemirror.resources[0]: metadata.name cannot be dropped
                    kubemirror.resources[1].resource=pods | kubemirror.resources: pods is mirrored twice
                    kubemirror.resources[1].resource=secrets | kubemirror.resources[1].resource: all clients of kubemirror could read secrets
                    kubemirror.resources[1].max-objects=5 | kubemirror.resources[1]: resource is missing
                    kubemirror.resources[1].resource=a.v1.b kubemirror.resources[1].etcd.prefix=/a/ kubemirror.resources[1].etcd.kind=A | kubemirror.resources[1].etcd: is not used
                    kubemirror.defaults.reads=verify kubemirror.resources[0].drop-fields=metadata.labels | kubemirror.resources[0].reads: the API server would return
                    kubemirror.defaults.reads=verify kubemirror.resources[0].label-selector=a | kubemirror.resources[0].reads: the API server would return
                    kubemirror.defaults.strategy=watch-list kubemirror.upstream.bookmarks=false | kubemirror.resources[0].strategy: watch-list needs
                    kubemirror.upstream.watch-timeout=10m..5m | kubemirror.upstream.watch-timeout
                    kubemirror.upstream.retry.max-delay=700ms | kubemirror.upstream.retry.max-delay: is too short; use 800 ms or more
                    kubemirror.history.max-events=99 | kubemirror.history.max-events: is below min-events
                    kubemirror.shutdown.delay=-1s | kubemirror.shutdown: kubemirror.shutdown.delay
                    kubemirror.allowed-hosts[0]=a:80 | kubemirror.allowed-hosts: has what is no host name
                    kubemirror.persistence.max-bytes=1GB | kubemirror.persistence.max-bytes: needs
                    kubemirror.pass-through.own-verbs=get | kubemirror.pass-through.own-verbs: is not used
                    """)
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
        String bundle = "spring.ssl.bundle.pem.own.";

        assertThat(
                        printed(
                                output,
                                PODS,
                                "server.ssl.bundle=own",
                                bundle + "reload-on-update=" + watched,
                                bundle + "keystore.certificate=/no/tls.crt",
                                bundle + "keystore.private-key=/no/tls.key"))
                .contains("The server cannot start", "/no/tls.", "spring.ssl.bundle");
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
