package io.kubemirror.api.encode;

import io.kubemirror.api.http.JsonDocument;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A list in the format for clients. It is written object by object from the stored bytes and never
 * held in memory as a whole (list-watch.md#en-5, #en-6, #en-8).
 *
 * @param type the type of the objects
 * @param page the objects
 */
public record ListDocument(ResourceType type, ListPage page) implements JsonDocument {

    private static final byte[] END = TypeMeta.bytes("]}\n");

    @Override
    public void write(OutputStream out) throws IOException {
        if (type.builtIn()) {
            out.write(
                    TypeMeta.bytes(
                            "{"
                                    + kind()
                                    + ","
                                    + version()
                                    + ","
                                    + ListMeta.of(page)
                                    + ",\"items\":["));
            writeItems(out);
            out.write(END);
        } else {
            out.write(TypeMeta.bytes("{" + version() + ",\"items\":["));
            writeItems(out);
            out.write(TypeMeta.bytes("]," + kind() + "," + ListMeta.ofCustom(page) + "}\n"));
        }
    }

    private void writeItems(OutputStream out) throws IOException {
        TypeMeta meta = new TypeMeta(type);
        boolean first = true;
        for (KubeObject object : page.objects()) {
            if (!first) {
                out.write(',');
            }
            first = false;
            meta.writeItem(object, out);
        }
    }

    private String kind() {
        return "\"kind\":\"" + type.kind() + "List\"";
    }

    private String version() {
        return "\"apiVersion\":\"" + type.apiVersion() + "\"";
    }
}
