package io.kubemirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testground.WrittenPage;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The page about configuration tells what the metadata tell. */
class ConfigurationDocumentTest {

    /** With {@code -Dconfiguration.write=true} it writes the file anew. */
    @Test
    void the_table_is_that_of_the_metadata() throws IOException {
        new WrittenPage("configuration").assertTells(ConfigurationDocument.text());
    }

    @Test
    void every_property_has_a_meaning() {
        assertThat(ConfigurationDocument.text().lines().filter(line -> line.startsWith("| `")))
                .isNotEmpty()
                .noneMatch(line -> line.endsWith("|  |"));
    }

    /** Its table is written by hand, for people who read all of it, and checked by another test. */
    @Test
    void every_property_of_the_readme_has_a_row() throws IOException {
        String text = ConfigurationDocument.text();
        Pattern.compile("^\\| `(kubemirror\\.[-a-z.\\[\\]]+)` \\|", Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("README.md")))
                .results()
                .forEach(row -> assertThat(text).contains("\n| `" + row.group(1) + "` |"));
    }
}
