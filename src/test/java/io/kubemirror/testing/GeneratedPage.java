package io.kubemirror.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A generated page of the documentation, or another generated file. Every test run checks it, and
 * writes it if the system property {@code name.write} is true.
 *
 * @param name of the page, without its ending
 * @param file where the page is
 */
public record GeneratedPage(String name, Path file) {

    /** A page in the directory of the documentation. */
    public GeneratedPage(String name) {
        this(name, Path.of("src", "docs", name + ".md"));
    }

    /** Writes the page if the property is set, and checks that it equals the text. */
    public void assertMatches(String text) throws IOException {
        if (Boolean.getBoolean(name + ".write")) {
            Files.writeString(file, text);
        }

        assertThat(Files.readString(file)).isEqualTo(text);
    }
}
