package io.kubemirror.api.encode;

import io.kubemirror.api.http.JsonDocument;
import io.kubemirror.model.KubeObject;

import java.io.IOException;
import java.io.OutputStream;

/**
 * One object as clients get it, written from its stored bytes (list-watch.md#en-1, #en-8).
 *
 * @param form what is written of it
 * @param object the object
 */
record ObjectDocument(ObjectEncoder form, KubeObject object) implements JsonDocument {

    @Override
    public void write(OutputStream out) throws IOException {
        form.write(object, out);
        out.write('\n');
    }
}
