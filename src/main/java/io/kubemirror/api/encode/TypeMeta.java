package io.kubemirror.api.encode;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The {@code kind} and {@code apiVersion} of a type, put before the stored bytes of its objects
 * where they belong (EN-1 to EN-4). Custom resources have their members in alphabetical order.
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

    /** Writes an object as it stands alone (EN-1). */
    @Override
    public void write(KubeObject object, OutputStream out) throws IOException {
        out.write(opening);
        out.write(object.json(), 1, object.json().length - 1);
    }

    /** Writes an object as it stands in a list (EN-2, EN-3). */
    void writeItem(KubeObject object, OutputStream out) throws IOException {
        out.write(builtIn ? BARE : opening);
        out.write(object.json(), 1, object.json().length - 1);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
