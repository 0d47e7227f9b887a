package io.kubemirror.api.encode;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes objects with the {@code kind} and {@code apiVersion} of their type, inserted into the
 * stored bytes at the position that the API server uses (list-watch.md#en-1 to #en-4). The members
 * of custom resources are in alphabetical order.
 */
public final class TypeMeta implements ObjectEncoder {

    private static final byte[] BARE = {'{'};

    private final boolean builtIn;
    private final byte[] opening;

    public TypeMeta(ResourceType type) {
        this.builtIn = type.builtIn();
        String kind = "\"kind\":\"" + type.kind() + "\",";
        String version = "\"apiVersion\":\"" + type.apiVersion() + "\",";
        this.opening = bytes(builtIn ? "{" + kind + version : "{" + version + kind);
    }

    /** Writes a single object (list-watch.md#en-1). */
    @Override
    public void write(KubeObject object, OutputStream out) throws IOException {
        out.write(opening);
        out.write(object.json(), 1, object.json().length - 1);
    }

    /** Writes an item of a list (list-watch.md#en-2, #en-3). */
    void writeItem(KubeObject object, OutputStream out) throws IOException {
        out.write(builtIn ? BARE : opening);
        out.write(object.json(), 1, object.json().length - 1);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
