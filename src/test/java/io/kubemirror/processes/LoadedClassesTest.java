package io.kubemirror.processes;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.clients.ProgramRun;
import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;

/** What a server does not use costs neither time at its start nor memory. */
class LoadedClassesTest {

    private static final String MODELS = "io.kubernetes.client.openapi.models.";

    @Test
    void server_loads_no_models() {
        List<String> classes = loaded();

        assertThat(classes).contains("io.kubemirror.mirror.Mirror");
        assertThat(of(MODELS, classes)).isEmpty();
    }

    private static List<String> of(String part, List<String> classes) {
        return classes.stream().filter(name -> name.startsWith(part)).toList();
    }

    /** Returns the names of the classes that a server has loaded when it is ready. */
    private static List<String> loaded() {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                KubemirrorProcess kubemirror = KubemirrorProcess.ofPods(server.url())) {
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
