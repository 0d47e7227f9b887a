package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.clients.ProgramRun;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the jar as it is started without an image. */
@Tag("image")
class JarTest {

    @Test
    void arguments_and_exit_code_are_those_of_the_application() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String jar = Path.of("target", "kubemirror.jar").toAbsolutePath().toString();
        try (ProgramRun run =
                ProgramRun.start(
                        Path.of("."),
                        List.of(java, "-jar", jar, "diagnose", "http://127.0.0.1:1"))) {
            assertThat(run.outcome()).contains("http://127.0.0.1:1").endsWith("exit code 3");
        }
    }
}
