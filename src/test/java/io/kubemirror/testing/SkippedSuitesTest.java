package io.kubemirror.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tests what the end of a build says about skipped tests. */
class SkippedSuitesTest {

    /** Its own run, in which the property is set, leaves these out. */
    private static final String INNER = "skipped.suites.inner";

    @Test
    void end_of_the_build_names_skipped_classes_by_reason(@TempDir Path directory)
            throws IOException {
        Path file = directory.resolve("target").resolve("skipped");
        run(file, Partly.class);
        run(file, Wholly.class);
        run(file, Alike.class);

        assertThat(Files.readAllLines(file))
                .containsExactly(
                        "Skipped tests of 1 classes: needs a program",
                        "    SkippedSuitesTest$Partly",
                        "Skipped tests of 2 classes: needs a server",
                        "    SkippedSuitesTest$Alike SkippedSuitesTest$Wholly");
    }

    @Test
    void nothing_is_written_if_nothing_is_skipped(@TempDir Path directory) {
        Path file = directory.resolve("skipped");
        run(file, Complete.class);

        assertThat(file).doesNotExist();
    }

    private static void run(Path file, Class<?> tests) {
        System.setProperty(INNER, "true");
        try {
            LauncherFactory.create(
                            LauncherConfig.builder()
                                    .enableTestExecutionListenerAutoRegistration(false)
                                    .addTestExecutionListeners(new SkippedSuites(file))
                                    .build())
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(DiscoverySelectors.selectClass(tests))
                                    .build());
        } finally {
            System.clearProperty(INNER);
        }
    }

    @EnabledIfSystemProperty(named = INNER, matches = "true")
    static class Partly {

        @Test
        void runs() {
            assertThat(System.getProperty(INNER)).isEqualTo("true");
        }

        @Test
        void aborts() {
            Assumptions.abort("needs a program");
        }
    }

    @EnabledIfSystemProperty(
            named = "nobody.sets.this",
            matches = "x",
            disabledReason = "needs a server")
    static class Wholly {

        @Test
        void runs() {
            throw new AssertionError("it is disabled");
        }
    }

    @EnabledIfSystemProperty(
            named = "nobody.sets.this",
            matches = "x",
            disabledReason = "needs a server")
    static class Alike {

        @Test
        void runs() {
            throw new AssertionError("it is disabled");
        }
    }

    @EnabledIfSystemProperty(named = INNER, matches = "true")
    static class Complete {

        @Test
        void runs() {
            assertThat(System.getProperty(INNER)).isEqualTo("true");
        }
    }
}
