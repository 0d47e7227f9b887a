package io.kubemirror.processes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Tests a process that has run out of file descriptors. */
class OpenFilesTest {

    private static final int LIMIT = 400;
    private static final Duration GENEROUS = Duration.ofSeconds(90);

    @Test
    void exhausted_open_files_log_one_line_and_service_recovers() throws Exception {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                KubemirrorProcess process =
                        KubemirrorProcess.withOpenFiles(
                                LIMIT,
                                "kubemirror.upstream.server=" + server.url(),
                                "kubemirror.resources[0].resource=pods",
                                "kubemirror.connections.max-per-client=0")) {
            process.awaitReady();
            List<Socket> clients = new ArrayList<>();
            for (int i = 0; i < LIMIT; i++) {
                clients.add(new Socket(process.url().getHost(), process.url().getPort()));
            }
            Awaitility.await().atMost(GENEROUS).until(() -> !told(process).isEmpty());
            for (Socket client : clients) {
                client.close();
            }

            assertThat(process.client().get("/livez").code()).isEqualTo(200);
            assertThat(told(process))
                    .singleElement()
                    .asString()
                    .contains("Too many open files", "ulimit -n");
            assertThat(process.printed()).noneMatch(line -> line.startsWith("\tat "));
        }
    }

    /** The default limit of connections, and one that fits. */
    @ParameterizedTest
    @CsvSource({"15000, 15500", "100, 0"})
    void open_file_limit_below_the_connection_limit_is_reported_at_the_start(int max, int needed) {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                KubemirrorProcess process =
                        KubemirrorProcess.withOpenFiles(
                                1_000,
                                "kubemirror.upstream.server=" + server.url(),
                                "kubemirror.resources[0].resource=pods",
                                "kubemirror.connections.max=" + max)) {
            List<String> lines =
                    process.awaitReady().printed().stream()
                            .filter(line -> line.contains("ulimit -n"))
                            .toList();

            assertThat(lines).hasSize(needed == 0 ? 0 : 1);
            assertThat(lines)
                    .allSatisfy(
                            line ->
                                    assertThat(line)
                                            .contains(
                                                    "may open 1000 files",
                                                    "kubemirror.connections.max=" + max,
                                                    "to " + needed + " or more"));
        }
    }

    private static List<String> told(KubemirrorProcess process) {
        return process.printed().stream()
                .filter(line -> line.contains("Cannot accept connections"))
                .toList();
    }
}
