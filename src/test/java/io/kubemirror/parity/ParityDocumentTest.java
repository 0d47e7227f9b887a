package io.kubemirror.parity;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.GeneratedPage;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/** The table in the documentation tells the cases that are tested. */
class ParityDocumentTest {

    /** With {@code -Dparity.write=true} it writes the file anew. */
    @Test
    void the_table_is_that_of_the_cases() throws IOException {
        new GeneratedPage("parity").assertTells(ParityDocument.text());
    }

    @Test
    void every_case_has_an_id_of_its_own() {
        Set<String> ids = new HashSet<>();
        assertThat(StaticCases.sections())
                .flatExtracting(CaseSection::cases)
                .allSatisfy(one -> assertThat(ids.add(one.id())).as(one.id()).isTrue());
    }

    @Test
    void every_golden_case_of_the_read_api_is_there() {
        String text = ParityDocument.text();
        for (int number = 1; number <= 30; number++) {
            assertThat(text).containsPattern("GO-" + number + "\\b");
        }
    }
}
