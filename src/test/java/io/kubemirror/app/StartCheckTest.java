package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.env.MockEnvironment;

class StartCheckTest {

    private static String mistake(String property, String value) {
        try {
            StartCheck.check(new MockEnvironment().withProperty(property, value));
            return "";
        } catch (RuntimeException e) {
            return BoundProperties.mistake(e);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    spring.main.web-application-type | reactive | kubemirror is a server, and runs as no other kind; remove it
                    logging.config | /no/logback.xml | /no/logback.xml does not exist; create it, or remove the property
                    logging.config | classpath:no.xml | classpath:no.xml does not exist; create it, or remove the property
                    logging.structured.format.console | xml | 'xml' is unknown; use one of ecs, gelf, logstash, or remove it
                    logging.structured.format.file | xml | 'xml' is unknown; use one of ecs, gelf, logstash, or remove it
                    """)
    void setting_that_cannot_be_used_is_refused(String property, String value, String problem) {
        assertThat(mistake(property, value)).isEqualTo(property + ": " + problem);
    }

    @ParameterizedTest
    @CsvSource({
        "logging.file.name, /proc/x.log, /proc/x.log",
        "logging.file.name, /etc/passwd/x.log, /etc/passwd/x.log",
        "logging.file.path, /proc/none, /proc/none/spring.log"
    })
    void log_that_cannot_be_written_is_refused(String property, String value, String file) {
        assertThat(mistake(property, value))
                .startsWith(property + ": cannot write " + file + "; use a file that user ");
    }

    @ParameterizedTest
    @CsvSource({
        "spring.main.web-application-type, SERVLET",
        "logging.config, ''",
        "logging.config, /etc/passwd",
        "logging.config, file:/etc/passwd",
        "logging.config, classpath:application.yaml",
        "logging.structured.format.console, ECS",
        "logging.structured.format.console, java.lang.String"
    })
    void setting_that_can_be_used_is_not_refused(String property, String value) {
        assertThat(mistake(property, value)).isEmpty();
    }

    @Test
    void directory_of_the_log_is_created(@TempDir Path directory) {
        Path log = directory.resolve("new").resolve("kubemirror.log");

        assertThat(mistake("logging.file.name", log.toString())).isEmpty();
        assertThat(log).isEmptyFile();
    }
}
