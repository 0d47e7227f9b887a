package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.GeneratedPage;

import org.junit.jupiter.api.Test;

/** The configuration reference equals the configuration metadata. */
class ConfigurationDocumentTest {

    /** Writes the file if {@code -Dconfiguration.write=true} is set. */
    @Test
    void configuration_page_matches_the_metadata() throws IOException {
        new GeneratedPage("configuration").assertMatches(ConfigurationDocument.text());
    }

    @Test
    void every_property_has_a_description() {
        assertThat(ConfigurationDocument.text().lines().filter(line -> line.startsWith("| `")))
                .isNotEmpty()
                .noneMatch(line -> line.endsWith("|  |"));
    }
}
