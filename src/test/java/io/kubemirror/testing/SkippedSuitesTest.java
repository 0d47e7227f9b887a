package io.kubemirror.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Tests what the end of a build says about skipped tests. */
class SkippedSuitesTest {

    /** Its own run, in which the property is set, leaves these out. */
    private static final String INNER = "skipped.suites.inner";

    @Test
    void end_of_the_tests_names_skipped_classes_by_reason() {
        assertThat(run(Partly.class, Wholly.class, Alike.class).lines())
                .containsExactly(
                        "Skipped tests of 1 classes: needs a program",
                        "    SkippedSuitesTest$Partly",
                        "Skipped tests of 2 classes: needs a server",
                        "    SkippedSuitesTest$Alike SkippedSuitesTest$Wholly");
    }

    @Test
    void nothing_is_printed_if_nothing_is_skipped() {
        assertThat(run(Complete.class)).isEmpty();
    }

    private static String run(Class<?>... tests) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        System.setProperty(INNER, "true");
        try {
            LauncherFactory.create(
                            LauncherConfig.builder()
                                    .enableTestExecutionListenerAutoRegistration(false)
                                    .addTestExecutionListeners(new SkippedSuites(out))
                                    .build())
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(
                                            Arrays.stream(tests)
                                                    .map(DiscoverySelectors::selectClass)
                                                    .toList())
                                    .build());
        } finally {
            System.clearProperty(INNER);
        }
        return printed.toString(StandardCharsets.UTF_8);
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
