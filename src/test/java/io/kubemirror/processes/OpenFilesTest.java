package io.kubemirror.processes;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests a process that may open few files. */
class OpenFilesTest {

    /** More connections than files, as many with the files of the process itself, and fewer. */
    @ParameterizedTest
    @CsvSource({"1200, 1700", "600, 1100", "100, 0"})
    void open_file_limit_below_the_connection_limit_is_reported_at_the_start(int max, int needed) {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                KubemirrorProcess process =
                        KubemirrorProcess.withOpenFiles(
                                1_000,
                                KubemirrorProcess.pods(
                                        server.url(), "kubemirror.connections.max=" + max))) {
            List<String> lines =
                    process.awaitReady().printed().stream()
                            .filter(line -> line.contains("ulimit -n"))
                            .toList();

            assertThat(lines).hasSize(needed == 0 ? 0 : 1);
            assertThat(lines)
                    .allMatch(line -> line.contains("may open 1000 files"))
                    .allMatch(line -> line.contains("too few for " + max + " connections"))
                    .allMatch(line -> line.contains("to " + needed + " or more"));
        }
    }
}
