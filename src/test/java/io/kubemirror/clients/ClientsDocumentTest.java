package io.kubemirror.clients;

import io.kubemirror.testing.GeneratedPage;

import org.junit.jupiter.api.Test;

import java.io.IOException;

/** The section about clients lists the clients that are tested. */
class ClientsDocumentTest {

    /** Writes the section if {@code -Dclients.write=true} is set. */
    @Test
    void clients_page_matches_the_tests() throws IOException {
        GeneratedPage.section("clients", "compatibility").assertHasSection(ClientsDocument.text());
    }
}
