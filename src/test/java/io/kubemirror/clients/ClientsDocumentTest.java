package io.kubemirror.clients;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The table in the documentation tells the clients that are tested. */
class ClientsDocumentTest {

    private static final Path FILE = Path.of("src", "docs", "clients.md");

    /** With {@code -Dclients.write=true} it writes the file anew. */
    @Test
    void the_table_is_that_of_the_tests() throws IOException {
        String text = ClientsDocument.text();
        if (Boolean.getBoolean("clients.write")) {
            Files.writeString(FILE, text);
        }

        assertThat(Files.readString(FILE)).isEqualTo(text);
    }
}
