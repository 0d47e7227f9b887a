package io.kubemirror.api.http;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A JSON document on one line, written piece by piece rather than made as a whole. It may be
 * written several times, with the same bytes each time.
 */
@FunctionalInterface
public interface JsonDocument {

    /** Writes the document, with the newline that ends it (list-watch.md#en-8). */
    void write(OutputStream out) throws IOException;
}
