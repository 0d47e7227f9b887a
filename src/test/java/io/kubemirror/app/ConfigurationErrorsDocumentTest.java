package io.kubemirror.app;

import io.kubemirror.testing.GeneratedPage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** The page of mistakes has the lines that kubemirror prints about them. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(300)
class ConfigurationErrorsDocumentTest {

    /** Writes the file if {@code -Dconfiguration-errors.write=true} is set. */
    @Test
    void page_of_mistakes_has_the_lines_that_are_printed(
            CapturedOutput output, @TempDir Path directory) throws IOException {
        AtomicInteger read = new AtomicInteger();
        ConfigurationMistakes mistakes =
                new ConfigurationMistakes(
                        directory,
                        () -> {
                            String all = output.getAll();
                            return all.substring(read.getAndSet(all.length()));
                        });

        new GeneratedPage("configuration-errors").assertMatches(mistakes.text());
    }
}
