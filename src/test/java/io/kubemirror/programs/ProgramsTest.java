package io.kubemirror.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.kubemirror.programs.ProgramsDocument.Measurement;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.GeneratedPage;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/**
 * Real programs end the same through kubemirror as directly, and leave to the API server what the
 * page says.
 *
 * <p>With {@code -Dprograms.write=true} it writes the page from what it measures. Otherwise only
 * the kinds of requests have to be those of the page, because their number depends on the version
 * of a program, and sometimes on time.
 */
@WithApiServer(own = true)
@TestInstance(Lifecycle.PER_CLASS)
class ProgramsTest {

    private static final boolean WRITES = Boolean.getBoolean("programs.write");

    private final ProgramFixture programFixture;
    private final Map<Program, Measurement> measurements = new EnumMap<>(Program.class);

    ProgramsTest(ApiServer server, @TempDir Path directory) {
        assumeThat(server).as("a server without controllers").isInstanceOf(RealApiServer.class);
        programFixture = new ProgramFixture(server, directory);
    }

    @AfterAll
    void close() throws IOException {
        programFixture.close();
        if (WRITES) {
            assertThat(measurements).containsOnlyKeys(Program.values());
            new GeneratedPage("programs").assertMatches(ProgramsDocument.text(measurements));
        }
    }

    @ParameterizedTest
    @EnumSource
    void program_ends_the_same_through_kubemirror(Program program) throws IOException {
        ProgramFixture.Result direct = programFixture.directly(program);
        ProgramFixture.Result mirrored = programFixture.mirrored(program);
        measurements.put(program, new Measurement(direct.requests(), mirrored.requests()));

        assertThat(mirrored.output()).isNotEmpty().isEqualTo(direct.output());
        if (!WRITES) {
            assertThat(mirrored.requests().ofObjects())
                    .isEqualTo(ProgramsDocument.measurements().get(program).mirrored().ofObjects());
        }
    }
}
