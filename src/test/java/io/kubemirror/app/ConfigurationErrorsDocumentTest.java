package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.GeneratedPage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/** kubemirror prints one line about each mistake, with the place and the remedy. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(300)
class ConfigurationErrorsDocumentTest {

    private static final Pattern PLACE_AND_REMEDY =
            Pattern.compile(
                    "</pre> \\| [^ ]+( \\([^ ]+, line \\d+\\)|, line \\d+, column \\d+)?: .+; .+"
                            + " \\|$");

    /** Writes all of them to {@code target/docs/configuration-errors.md}. */
    @Test
    void each_mistake_is_one_line_with_place_and_remedy(
            CapturedOutput output, @TempDir Path directory) throws IOException {
        AtomicInteger read = new AtomicInteger();
        ConfigurationMistakes mistakes =
                new ConfigurationMistakes(
                        directory,
                        () -> {
                            String all = output.getAll();
                            return all.substring(read.getAndSet(all.length()));
                        });

        String text = mistakes.text();

        GeneratedPage.build("configuration-errors", text);
        assertThat(text.lines().filter(row -> row.contains("</pre> |")))
                .hasSizeGreaterThan(30)
                .allMatch(row -> PLACE_AND_REMEDY.matcher(row).find(), "has place and remedy");
        assertThat(Files.readString(Path.of("src", "docs", "command-line.md")).lines())
                .filteredOn(line -> line.startsWith("kubemirror cannot start: "))
                .hasSize(3)
                .allMatch(line -> text.contains(cell(line)), "is printed");
    }

    private static String cell(String line) {
        return line.replace("kubemirror cannot start: ", "| ")
                .replace("<", "&lt;")
                .replace(">", "&gt;");
    }
}
