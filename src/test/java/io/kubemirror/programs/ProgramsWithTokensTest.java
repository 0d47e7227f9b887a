package io.kubemirror.programs;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.real.WithEtcd;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Real programs with tokens of their own, through a kubemirror that passes them on. kubemirror may
 * do everything, which must not help a program that may only read.
 */
@WithEtcd
@TestInstance(Lifecycle.PER_CLASS)
class ProgramsWithTokensTest {

    private static final String POLICY =
            """
            {"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy", "spec": \
            {"user": "%s", "readonly": %s, "namespace": "*", "resource": "*", "apiGroup": "*", \
            "nonResourcePath": "*"}}
            """;

    private final RealApiServer server;
    private final ProgramFixture programFixture;

    /** Without a token, as kubemirror and the test itself are, one may do everything. */
    ProgramsWithTokensTest(@TempDir Path directory) throws IOException {
        Path tokens = directory.resolve("tokens.csv");
        Files.writeString(tokens, "writer,writer,1\nreader,reader,2\n");
        Path policy = directory.resolve("policy.jsonl");
        Files.writeString(
                policy,
                POLICY.formatted("system:anonymous", false)
                        + POLICY.formatted("writer", false)
                        + POLICY.formatted("reader", true));
        server =
                RealApiServer.start(
                        ServerBinaries.find().orElseThrow(),
                        List.of(
                                "--token-auth-file=" + tokens,
                                "--authorization-mode=ABAC",
                                "--authorization-policy-file=" + policy));
        ProgramFixture.define(server);
        programFixture = new ProgramFixture(server, server.url(), directory, "client");
    }

    @AfterAll
    void close() {
        programFixture.close();
        server.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"PYTHON", "NODE", "OFFICIAL_JAVA"})
    void program_that_may_write_ends_the_same(Program program) {
        ProgramFixture.Result direct = programFixture.directly(program, "writer");

        assertThat(direct.output()).endsWith("exit code 0");
        assertThat(programFixture.mirrored(program, "writer").output()).isEqualTo(direct.output());
    }

    /** The official Java client is left out, whose informer repeats a refusal for 20 seconds. */
    @ParameterizedTest
    @EnumSource(names = {"PYTHON", "NODE"})
    void program_that_may_only_read_is_refused_as_by_the_api_server(Program program) {
        ProgramFixture.Result direct = programFixture.directly(program, "reader");

        assertThat(direct.output()).contains("orbidden").doesNotEndWith("exit code 0");
        assertThat(programFixture.mirrored(program, "reader").output())
                .contains("orbidden")
                .doesNotEndWith("exit code 0");
    }

    @Test
    void kubectl_sends_no_token_without_tls_and_is_refused() {
        assertThat(programFixture.mirrored(Program.KUBECTL_APPLY, "writer").output())
                .contains("provide credentials")
                .endsWith("exit code 1");
    }
}
