package io.kubemirror.processes;

import module java.base;

import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.AfterEach;

/** A scripted API server and processes of kubemirror, which end with the test. */
abstract class ProcessHarness {

    final ScriptedApiServer server = ScriptedApiServer.create();
    private final List<KubemirrorProcess> processes = new ArrayList<>();

    @AfterEach
    void stop() {
        processes.forEach(KubemirrorProcess::close);
        server.close();
    }

    final KubemirrorProcess started(KubemirrorProcess process) {
        processes.add(process);
        return process;
    }
}
