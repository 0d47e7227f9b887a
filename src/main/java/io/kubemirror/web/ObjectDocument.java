package io.kubemirror.web;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;

import java.io.IOException;
import java.io.OutputStream;

/**
 * One object as clients get it, written from its stored bytes (EN-1, EN-8).
 *
 * @param type its type
 * @param object the object
 */
record ObjectDocument(ResourceType type, KubeObject object) implements Body {

    @Override
    public void write(OutputStream out) throws IOException {
        new TypeMeta(type).writeObject(object, out);
        out.write('\n');
    }
}
