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

    /** Editors show the mark, too. */
    @Test
    void ten_properties_that_you_need_are_those_that_the_code_marks() {
        Set<String> ten =
                Pattern.compile("^\\| `(kubemirror[^`]+)`", Pattern.MULTILINE)
                        .matcher(ConfigurationDocument.HEAD)
                        .results()
                        .map(row -> row.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(ten).hasSize(10).isEqualTo(ConfigurationDocument.keys());
    }

    @Test
    void every_property_has_a_description() {
        assertThat(ConfigurationDocument.text().lines().filter(line -> line.startsWith("| `")))
                .isNotEmpty()
                .noneMatch(line -> line.endsWith("|  |"));
    }
}
