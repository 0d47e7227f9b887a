package io.kubemirror.clients;

import io.kubemirror.testing.GeneratedPage;

import org.junit.jupiter.api.Test;

import java.io.IOException;

/** The table in the documentation tells the clients that are tested. */
class ClientsDocumentTest {

    /** With {@code -Dclients.write=true} it writes the file anew. */
    @Test
    void clients_page_matches_the_tests() throws IOException {
        new GeneratedPage("clients").assertTells(ClientsDocument.text());
    }
}
