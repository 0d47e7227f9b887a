package io.kubemirror.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kubemirror.programs.ProgramsDocument.Measurement;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.containers.ContainerServer;
import io.kubemirror.testing.containers.ContainerServer.RawHead;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * Real programs end the same through kubemirror as directly, and leave to the API server what the
 * page says.
 *
 * <p>With {@code -Drequests.write=true} it writes the file of requests from what it measures.
 * Otherwise only the kinds of requests have to be those of the page, because their number depends
 * on the version of a program, and sometimes on time.
 */
@WithApiServer(own = true)
@TestInstance(Lifecycle.PER_CLASS)
class ProgramsTest {

    private static final boolean WRITES = Boolean.getBoolean("requests.write");

    private final ProgramFixture programFixture;
    private final ProgramFixture containerFixture;
    private final ContainerServer containers;
    private final Map<Program, Measurement> measurements = new EnumMap<>(Program.class);

    ProgramsTest(ApiServer server, @TempDir Path directory) {
        assumeThat(server).as("a server without controllers").isInstanceOf(RealApiServer.class);
        ProgramFixture.define(server);
        programFixture = new ProgramFixture(server, server.url(), directory, "own");
        containers =
                ContainerServer.withPods(server, programFixture.managementPort())
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
        if (WRITES) {
            assertThat(measurements).containsOnlyKeys(Program.values());
            ProgramsDocument.REQUESTS.assertMatches(ProgramsDocument.requests(measurements));
        }
    }

    @ParameterizedTest
    @EnumSource
    void program_ends_the_same_through_kubemirror(Program program) throws IOException {
        ProgramFixture fixture = program.usesContainers() ? containerFixture : programFixture;
        ProgramFixture.Result direct = fixture.directly(program, "");
        ProgramFixture.Result mirrored = fixture.mirrored(program, "");
        measurements.put(program, new Measurement(direct.requests(), mirrored.requests()));

        assertThat(direct.output()).endsWith("exit code 0");
        assertThat(mirrored.output()).isEqualTo(direct.output());
        if (!WRITES) {
            assertThat(mirrored.requests().ofObjects())
                    .isEqualTo(
                            Objects.requireNonNull(ProgramsDocument.measurements().get(program))
                                    .mirrored()
                                    .ofObjects());
        }
    }
}
