package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.health.Finding;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.StandardEnvironment;

/** When a changed configuration file ends the process. */
class ExitOnChangeTest {

    private static final String NAME = "kubemirror.history.span";

    private final BlockingQueue<Integer> exits = new LinkedBlockingQueue<>();
    private String content = "1m";
    private final ExitOnChange change =
            new ExitOnChange(true, environment("1m"), this::read, this::check, exits::add, _ -> {});

    private static ConfigurableEnvironment environment(String span) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new OriginTrackedMapPropertySource("file", Map.of(NAME, span)));
        ConfigurationPropertySources.attach(environment);
        return environment;
    }

    private ConfigurableEnvironment read() {
        if (content.equals("malformed")) {
            throw new IllegalStateException("as the test says");
        }
        return environment(content);
    }

    private void check(ConfigurableEnvironment environment) {
        if (environment.getProperty(NAME, "").equals("soon")) {
            throw new InvalidConfigurationPropertyValueException(NAME, "soon", "is no duration");
        }
    }

    private void lookTwice() {
        change.look();
        change.look();
    }

    @Test
    void files_that_are_as_at_the_start_change_nothing() {
        lookTwice();

        assertThat(exits).isEmpty();
        assertThat(change.findings()).isEmpty();
    }

    @Test
    void process_ends_once_when_two_looks_find_the_same_change() throws Exception {
        content = "2m";
        change.look();
        content = "3m";
        change.look();
        assertThat(exits).as("the file is being written").isEmpty();

        lookTwice();
        assertThat(exits.poll(1, TimeUnit.MINUTES)).isEqualTo(75);
        lookTwice();
        assertThat(exits).isEmpty();
    }

    @Test
    void mistake_is_reported_until_it_is_undone_and_ends_nothing() {
        content = "soon";
        lookTwice();

        assertThat(exits).isEmpty();
        assertThat(change.findings())
                .singleElement()
                .satisfies(
                        finding -> {
                            assertThat(finding.kind()).isEqualTo(Finding.Kind.CONFIGURATION);
                            assertThat(finding.text()).contains(NAME, "is no duration");
                        });

        content = "1m";
        lookTwice();
        assertThat(change.findings()).isEmpty();
        assertThat(exits).isEmpty();
    }

    @Test
    void file_that_cannot_be_read_ends_nothing_and_its_correction_does() throws Exception {
        content = "malformed";
        lookTwice();
        assertThat(change.findings()).hasSize(1);
        assertThat(exits).isEmpty();

        content = "2m";
        lookTwice();
        assertThat(exits.poll(1, TimeUnit.MINUTES)).isEqualTo(75);
    }
}
