package io.kubemirror.api.encode;

import io.kubemirror.api.http.JsonDocument;
import io.kubemirror.model.KubeObject;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A single object in the format for clients, written from its stored bytes (list-watch.md#en-1,
 * #en-8).
 *
 * @param form writes the object
 * @param object the object
 */
record ObjectDocument(ObjectEncoder form, KubeObject object) implements JsonDocument {

    @Override
    public void write(OutputStream out) throws IOException {
        form.write(object, out);
        out.write('\n');
    }
}
