package io.kubemirror.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A page of the documentation that a test writes: checked in every run, written anew where the
 * system property {@code name.write} is true.
 *
 * @param name of the page, without its ending
 */
public record GeneratedPage(String name) {

    /** Writes the page if that is wanted, and checks that it is the text in any case. */
    public void assertTells(String text) throws IOException {
        Path file = Path.of("src", "docs", name + ".md");
        if (Boolean.getBoolean(name + ".write")) {
            Files.writeString(file, text);
        }

        assertThat(Files.readString(file)).isEqualTo(text);
    }
}
