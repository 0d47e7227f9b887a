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

    /** Begins to write the document, including the newline at its end (list-watch.md#en-8). */
    Steps begin(OutputStream out);

    /** The writing of a document, in steps of about one object. */
    @FunctionalInterface
    interface Steps {

        /** Takes a step, and returns whether there are more. */
        boolean next() throws IOException;
    }

    /** Writes the whole document. */
    default void write(OutputStream out) throws IOException {
        Steps steps = begin(out);
        boolean more = true;
        while (more) {
            more = steps.next();
        }
    }

    /** Returns a single object, written from its stored bytes (list-watch.md#en-1, #en-8). */
    static JsonDocument of(KubeObject object, ObjectEncoder form) {
        return out ->
                () -> {
                    form.write(object, out);
                    out.write('\n');
                    return false;
                };
    }
}
