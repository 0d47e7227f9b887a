package io.kubemirror.processes;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.node.ObjectNode;

/** Tests the log of a process as log processors read it. */
@Timeout(120)
class LogFormatTest {

    @Test
    void structured_log_has_separate_fields_for_event_details(@TempDir Path directory)
            throws Exception {
        Path file = directory.resolve("kubemirror.log");
        try (ScriptedApiServer server = ScriptedApiServer.create();
                KubemirrorProcess kubemirror =
                        KubemirrorProcess.ofPods(
                                server.url(),
                                "logging.structured.format.console=ecs",
                                "logging.structured.format.file=logstash",
                                "logging.file.name=" + file)) {
            server.create(Manifests.pod("a", "secret-name").label("l", "secret-label"));
            kubemirror.awaitReady();
            // It is ready a moment before it reports why.
            kubemirror.await(() -> isReported(kubemirror.printed()));
            kubemirror.await(() -> isReported(Unchecked.call(() -> Files.readAllLines(file))));

            ObjectNode ecs = line(kubemirror.printed(), "event");
            assertThat(ecs.at("/event/action").asString()).isEqualTo("synchronized");
            assertThat(ecs.at("/kubemirror/resource").asString()).isEqualTo("pods");
            assertThat(ecs.at("/service/name").asString()).isEqualTo("kubemirror");
            assertThat(ecs.at("/log/level").asString()).isEqualTo("INFO");
            assertThat(ecs.path("message").asString()).startsWith("pods: synchronized by ");

            ObjectNode logstash = line(Files.readAllLines(file), "event.action");
            assertThat(logstash.path("event.action").asString()).isEqualTo("synchronized");
            assertThat(logstash.path("kubemirror.resource").asString()).isEqualTo("pods");

            assertThat(String.join("\n", kubemirror.printed()))
                    .doesNotContain("secret-name", "secret-label");
        }
    }

    private static boolean isReported(List<String> lines) {
        return lines.stream().anyMatch(line -> line.contains("pods: synchronized by "));
    }

    @Test
    void log_says_when_the_end_begins_and_when_it_is_over() {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                KubemirrorProcess kubemirror =
                        KubemirrorProcess.ofPods(
                                server.url(), "kubemirror.shutdown.watch-spread=1ms")) {
            server.create(Manifests.pod("a", "x"));
            kubemirror.awaitReady();
            try (WatchReader watch = kubemirror.client().watch("/api/v1/pods?watch=1")) {
                watch.next();
                kubemirror.terminate();
            }
            List<String> lines =
                    kubemirror.printed().stream()
                            .filter(line -> line.contains(" GracefulShutdown: "))
                            .map(line -> line.substring(line.indexOf(": ") + 2))
                            .toList();

            assertThat(lines).hasSize(2);
            assertThat(lines.getFirst())
                    .isEqualTo(
                            "shutting down: 1 open watches"
                                    + " and 0 other requests; they end after 0 ms, within 5001 ms");
            assertThat(lines.getLast())
                    .matches("shut down in \\d+ ms: 1 watches ended, 0 responses were cut");
        }
    }

    /** The first line about a mirror. */
    private static ObjectNode line(List<String> printed, String member) {
        return printed.stream()
                .map(JsonTrees::parse)
                .filter(line -> line.has(member))
                .findFirst()
                .orElseThrow(() -> new AssertionError(printed));
    }
}
