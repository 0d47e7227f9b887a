package io.kubemirror.programs;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.containers.ContainerServer;
import io.kubemirror.testing.containers.ContainerServer.RawHead;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Real programs end the same through kubemirror as directly, and the API server is not asked for
 * what is mirrored.
 */
@WithApiServer(own = true)
@TestInstance(Lifecycle.PER_CLASS)
class ProgramsTest {

    private final ProgramFixture programFixture;
    private final ProgramFixture containerFixture;
    private final ContainerServer containers;

    ProgramsTest(ApiServer server, @TempDir Path directory) {
        ProgramFixture.define(server);
        programFixture = new ProgramFixture(server, server.url(), directory, "own");
        containers =
                ContainerServer.withPods(server)
                        .on("/selfsubjectaccessreviews", ProgramsTest::review);
        containerFixture = new ProgramFixture(server, containers.url(), directory, "own");
    }

    /** Permits everything but to delete, whatever the encoding of the review. */
    private static void review(RawHead head, InputStream in, OutputStream out) throws IOException {
        int length = Integer.parseInt(head.header("content-length"));
        String review = new String(in.readNBytes(length), UTF_8);
        byte[] body =
                ContainerServer.text(
                        """
                        {"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1",
                         "status": {"allowed": %s}}
                        """
                                .formatted(!review.contains("delete")));
        String headers =
                "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length
                        + "\r\n\r\n";
        out.write(ContainerServer.text(headers));
        out.write(body);
    }

    @AfterAll
    void close() throws IOException {
        containerFixture.close();
        containers.close();
        programFixture.close();
    }

    @ParameterizedTest
    @EnumSource
    void program_ends_the_same_through_kubemirror(Program program) throws IOException {
        ProgramFixture fixture = program.usesContainers() ? containerFixture : programFixture;
        ProgramFixture.Result direct = fixture.directly(program, "");
        ProgramFixture.Result mirrored = fixture.mirrored(program, "");
        assertThat(direct.output()).endsWith("exit code 0");
        assertThat(mirrored.output()).isEqualTo(direct.output());
        assertThat(mirrored.reads()).isEmpty();
        if (program == Program.KUBECTL_GET) {
            assertThat(direct.reads()).as("what the relay sees of a program").isNotEmpty();
        }
    }
}
