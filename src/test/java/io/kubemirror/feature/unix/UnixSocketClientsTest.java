package io.kubemirror.feature.unix;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.clients.ExternalProgram;
import io.kubemirror.clients.ProgramRun;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of several languages watch over a Unix socket. */
class UnixSocketClientsTest {

    private static final String WATCH =
            "http://localhost/api/v1/pods?watch=1&resourceVersion=110&timeoutSeconds=1";

    @TempDir private Path directory;
    @AutoClose private ApiFixture served;

    @BeforeEach
    void start() {
        served =
                ApiFixture.golden(
                        Map.of(
                                "unix",
                                UnixSocketListener.class,
                                "socket",
                                new UnixSocketProperties(socket(), "0660", null)));
        served.writer().upsert(ApiSamples.object("a", "x", 111));
    }

    private String socket() {
        return directory.resolve("api.sock").toString();
    }

    private void assertWatches(List<String> command) {
        try (ProgramRun run = ProgramRun.start(directory, command)) {
            assertThat(run.text()).contains("\"resourceVersion\":\"111\"");
        }
    }

    @Test
    void curl_watches() {
        Path curl = Path.of("/usr/bin/curl");
        ExternalProgram.demand(curl);

        assertWatches(List.of(curl.toString(), "--silent", "--unix-socket", socket(), WATCH));
    }

    @Test
    void python_watches() {
        Path python = Path.of("/usr/bin/python3");
        ExternalProgram.demand(python);

        assertWatches(
                List.of(
                        python.toString(),
                        "-c",
                        """
                        import http.client, socket, sys

                        class UnixConnection(http.client.HTTPConnection):
                            def connect(self):
                                self.sock = socket.socket(socket.AF_UNIX)
                                self.sock.connect(sys.argv[1])

                        connection = UnixConnection("localhost")
                        connection.request("GET", sys.argv[2].removeprefix("http://localhost"))
                        for line in connection.getresponse():
                            print(line.decode())
                        """,
                        socket(),
                        WATCH));
    }

    @Test
    void node_watches() {
        ExternalProgram.NODE.demand();

        assertWatches(
                List.of(
                        "node",
                        "-e",
                        """
                        const [socketPath, url] = process.argv.slice(1);
                        require("http").get(url, {socketPath}, (watch) => watch.pipe(process.stdout));
                        """,
                        socket(),
                        WATCH));
    }
}
