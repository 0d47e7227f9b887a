package io.kubemirror.processes;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.clients.ProgramRun;
import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a server does not use costs neither time at its start nor memory. */
@Timeout(600)
class LoadedClassesTest {

    private static final String COMMAND_LINE = "picocli.";

    /** What Spring reads of commands when it looks for components; the image does not look. */
    private static final String[] ANNOTATION = {
        "picocli.CommandLine$Command", "picocli.CommandLine$ScopeType"
    };

    private static final List<String> TELEMETRY =
            List.of("io.opentelemetry.", "io.micrometer.tracing.", "io.micrometer.registry.otlp.");

    private static final String MODELS = "io.kubernetes.client.openapi.models.";

    private static final int FEW = 20;

    @Test
    void server_loads_next_to_nothing_of_telemetry_no_command_line_and_no_models() {
        List<String> classes = loaded();

        assertThat(classes).contains("io.kubemirror.mirror.Mirror");
        assertThat(of(COMMAND_LINE, classes)).isSubsetOf(ANNOTATION);
        // Types in the signatures of Spring Boot's configuration, and what its listener touches.
        assertThat(telemetry(classes)).hasSizeLessThan(FEW);
        assertThat(of(MODELS, classes)).isEmpty();
    }

    /** Otherwise the names above could be wrong. */
    @Test
    void server_with_telemetry_loads_it_and_no_command_line() {
        List<String> classes =
                loaded(
                        "management.opentelemetry.enabled=true",
                        "management.otlp.metrics.export.url=http://127.0.0.1:1",
                        "management.opentelemetry.tracing.export.otlp.endpoint=http://127.0.0.1:1");

        assertThat(telemetry(classes)).hasSizeGreaterThan(10 * FEW);
        for (String part : TELEMETRY) {
            assertThat(of(part, classes)).isNotEmpty();
        }
        assertThat(of(COMMAND_LINE, classes)).isSubsetOf(ANNOTATION);
    }

    private static List<String> telemetry(List<String> classes) {
        return TELEMETRY.stream().flatMap(part -> of(part, classes).stream()).toList();
    }

    private static List<String> of(String part, List<String> classes) {
        return classes.stream().filter(name -> name.startsWith(part)).toList();
    }

    /** Returns the names of the classes that a server has loaded when it is ready. */
    private static List<String> loaded(String... settings) {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                KubemirrorProcess kubemirror = KubemirrorProcess.ofPods(server.url(), settings)) {
            kubemirror.awaitReady();
            String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
            List<String> command =
                    List.of(jcmd, Long.toString(kubemirror.pid()), "VM.class_hierarchy");
            try (ProgramRun run = ProgramRun.start(Path.of("."), command)) {
                return run.text()
                        .lines()
                        .map(line -> line.replaceFirst("^[|\\s-]*", "").replaceFirst("/.*", ""))
                        .toList();
            }
        }
    }
}
