package io.kubemirror.clients;

import io.kubemirror.testing.GeneratedPage;

import org.junit.jupiter.api.Test;

import java.io.IOException;

/** The page about clients lists the clients that are tested. */
class ClientsDocumentTest {

    /** Writes the file if {@code -Dclients.write=true} is set. */
    @Test
    void clients_page_matches_the_tests() throws IOException {
        new GeneratedPage("clients").assertMatches(ClientsDocument.text());
    }
}
