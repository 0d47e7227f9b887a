package io.kubemirror.app;

import static io.kubemirror.app.ConfigurationMistakes.explained;
import static io.kubemirror.app.ConfigurationMistakes.mistake;
import static io.kubemirror.app.ConfigurationMistakes.printed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.app.config.ConfigurationFailures;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.StandardEnvironment;

/** A mistake ends the start with its property, its place, and its remedy. */
@ExtendWith(OutputCaptureExtension.class)
class ConfigurationErrorTest {

    private static final String PODS = "kubemirror.resources[0].resource=pods";

    @ParameterizedTest(name = "{0}")
    @CsvFileSource(resources = "configuration-errors.csv", delimiterString = " | ")
    void mistake_is_named_by_its_property_and_the_remedy(String mistake, String line) {
        assertThat(mistake((PODS + " " + mistake).split(" "))).isEqualTo(line);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    label-selector | a in ( | use the syntax of kubectl get --selector
                    field-selector | a | use the syntax of kubectl get --field-selector
                    """)
    void invalid_selector_is_named(String property, String selector, String remedy) {
        String setting = "kubemirror.resources[0]." + property;

        assertThat(mistake(PODS, setting + "=" + selector))
                .startsWith(setting + ": ")
                .endsWith("; " + remedy);
    }

    @Test
    void strategy_watch_list_needs_bookmarks() {
        assertThat(
                        mistake(
                                PODS,
                                "kubemirror.upstream.bookmarks=false",
                                "kubemirror.resources[0].strategy=watch-list"))
                .startsWith("kubemirror.resources[0].strategy: watch-list needs bookmarks");
    }

    /** Mistakes that only a start finds. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    kubemirror.upstream.files.directory=/no/objects | is no directory; create it, or correct the path
                    kubemirror.upstream.server=10.0.0.1:6443 | kubemirror.upstream.server: is not a URL
                    kubemirror.watches.batch.max-bytes=1B | is too small, or more than an eighth of
                    kubemirror.persistence.directory=/proc/none | is no directory and cannot be created
                    server.address=0.0.0.0 | every client that can reach an address other than loopback
                    kubemirror.history.spam=1m | kubemirror.history.spam
                    kubemirror.history.span=soon | kubemirror.history.span
                    """)
    void start_ends_with_the_property_and_the_remedy(
            String setting, String line, CapturedOutput output) {
        String property = setting.substring(0, setting.indexOf('='));

        assertThat(printed(output, PODS, setting)).contains(property, line);
    }

    @Test
    void missing_resources_are_named(CapturedOutput output) {
        assertThatThrownBy(() -> ApplicationLauncher.with().close());

        assertThat(explained(output)).contains("is empty; set at least kubemirror.resources[0]");
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
