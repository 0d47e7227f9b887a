package io.kubemirror.parity;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.GeneratedPage;

import org.junit.jupiter.api.Test;

/** The page about compatibility has the differences of the cases that are tested. */
class ParityDocumentTest {

    /** Writes the section if {@code -Dparity.write=true} is set. */
    @Test
    void page_has_the_differences_of_the_tested_cases() throws IOException {
        GeneratedPage.build("parity", ParityDocument.text());
        GeneratedPage.section("parity", "compatibility")
                .assertHasSection(ParityDocument.differences());
    }

    @Test
    void every_parity_case_has_a_unique_id() {
        Set<String> ids = new HashSet<>();
        assertThat(StaticCases.sections())
                .flatExtracting(CaseSection::cases)
                .allSatisfy(one -> assertThat(ids.add(one.id())).as(one.id()).isTrue());
    }
}
