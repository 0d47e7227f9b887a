package io.kubemirror.api.encode;

import io.kubemirror.model.KubeObject;

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

    /** Returns a single object, written from its stored bytes (list-watch.md#en-1, #en-8). */
    static JsonDocument of(KubeObject object, ObjectEncoder form) {
        return out -> {
            form.write(object, out);
            out.write('\n');
        };
    }
}
