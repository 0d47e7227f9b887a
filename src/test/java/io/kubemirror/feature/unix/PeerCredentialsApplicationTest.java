package io.kubemirror.feature.unix;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.clients.ExternalProgram;
import io.kubemirror.clients.ProgramRun;
import io.micrometer.core.instrument.MeterRegistry;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** Processes of several users on the Unix socket of the application, without TCP. */
class PeerCredentialsApplicationTest {

    private static final int SOMEBODY = 61_234;

    @TempDir private Path directory;

    private ConfigurableApplicationContext start(String... settings) throws IOException {
        // JUnit's directory is its owner's alone.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "kubemirror.unix-socket=" + directory.resolve("api.sock"),
                                "kubemirror.resources[0].resource=pods"));
        all.addAll(List.of(settings));
        if (!all.contains("server.port=0")) {
            all.add("server.port=-1");
        }
        return ApplicationLauncher.with(all.toArray(String[]::new));
    }

    private String statusFor(int user, String... headers) {
        Path setpriv = Path.of("/usr/bin/setpriv");
        ExternalProgram.demand(setpriv);
        ExternalProgram.demand(Path.of("/usr/bin/curl"));
        List<String> command =
                new ArrayList<>(
                        List.of(
                                setpriv.toString(),
                                "--reuid=" + user,
                                "--regid=" + user,
                                "--clear-groups",
                                "curl",
                                "--silent",
                                "--output",
                                "/dev/null",
                                "--write-out",
                                "%{http_code}",
                                "--unix-socket",
                                directory.resolve("api.sock").toString(),
                                "http://localhost/api/v1"));
        for (String header : headers) {
            command.addAll(List.of("--header", header));
        }
        try (ProgramRun curl = ProgramRun.start(directory, command)) {
            return curl.outcome().lines().findFirst().orElseThrow();
        }
    }

    @Test
    void process_is_admitted_without_a_token_and_not_with_an_invalid_one() throws IOException {
        demandRoot();
        try (ConfigurableApplicationContext _ =
                start(
                        "kubemirror.unix-socket-mode=0666",
                        "kubemirror.access.authentication=peer-credentials",
                        "kubemirror.access.authorization=read-all")) {
            assertThat(statusFor(SOMEBODY)).isEqualTo("200");
            assertThat(statusFor(SOMEBODY, "Authorization: Bearer invalid")).isEqualTo("401");
        }
    }

    @Test
    void process_needs_the_permission_to_write_to_the_socket() throws IOException {
        demandRoot();
        try (ConfigurableApplicationContext _ = start("kubemirror.unix-socket-group=" + SOMEBODY)) {
            assertThat(statusFor(SOMEBODY)).isEqualTo("200");
            assertThat(statusFor(SOMEBODY + 1)).isEqualTo("000");
        }
    }

    @Test
    void connections_of_the_port_and_the_socket_are_counted_apart() throws IOException {
        try (ConfigurableApplicationContext kubemirror = start("server.port=0")) {
            assertThat(
                            kubemirror
                                    .getBean(MeterRegistry.class)
                                    .get("jetty.connections.max")
                                    .gauges())
                    .extracting(gauge -> gauge.getId().getTag("connector.name"))
                    .containsExactlyInAnyOrder("unnamed", "unix-socket");
        }
    }

    /** Only root can become another user. */
    private static void demandRoot() throws IOException {
        Assumptions.assumeTrue(
                Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "not root");
    }
}
