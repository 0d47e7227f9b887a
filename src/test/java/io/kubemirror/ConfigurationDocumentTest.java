package io.kubemirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.GeneratedPage;

import org.junit.jupiter.api.Test;

import java.io.IOException;

/** The page about configuration tells what the metadata tell. */
class ConfigurationDocumentTest {

    /** With {@code -Dconfiguration.write=true} it writes the file anew. */
    @Test
    void configuration_page_matches_the_metadata() throws IOException {
        new GeneratedPage("configuration").assertTells(ConfigurationDocument.text());
    }

    @Test
    void every_property_has_a_description() {
        assertThat(ConfigurationDocument.text().lines().filter(line -> line.startsWith("| `")))
                .isNotEmpty()
                .noneMatch(line -> line.endsWith("|  |"));
    }
}
