package io.kubemirror.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.programs.ProgramsDocument.Measurement;
import io.kubemirror.testing.GeneratedPage;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Map;

/**
 * The section about programs has a row for each that is tested, and so has the file of requests.
 */
class ProgramsDocumentTest {

    @Test
    void programs_page_matches_the_programs() throws IOException {
        Map<Program, Measurement> measurements = ProgramsDocument.measurements();

        assertThat(measurements).containsOnlyKeys(Program.values());
        ProgramsDocument.REQUESTS.assertMatches(ProgramsDocument.requests(measurements));
        GeneratedPage.section("programs", "compatibility")
                .assertHasSection(ProgramsDocument.section());
    }
}
