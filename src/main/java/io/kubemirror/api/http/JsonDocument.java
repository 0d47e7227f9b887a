package io.kubemirror.api.http;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A JSON document on one line that is streamed rather than built in memory. It can be written
 * several times, with the same bytes each time.
 */
@FunctionalInterface
public interface JsonDocument {

    /** Writes the document, including the newline at its end (list-watch.md#en-8). */
    void write(OutputStream out) throws IOException;
}
