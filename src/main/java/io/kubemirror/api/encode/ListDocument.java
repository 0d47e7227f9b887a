package io.kubemirror.api.encode;

import static io.kubemirror.api.encode.ObjectEncoder.bytes;

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

    private static final byte[] END = bytes("]}\n");

    /**
     * Returns a list of object metadata (list-watch.md#ne-30).
     *
     * @param version the version of the format, such as {@code v1}
     */
    static JsonDocument ofMetadata(String version, ListPage page) {
        return out -> {
            out.write(
                    bytes(
                            "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/"
                                    + version
                                    + "\","
                                    + page.metadata(false)
                                    + ",\"items\":["));
            writeItems(page, new ObjectEncoder.MetadataEncoder(version), out);
            out.write(END);
        };
    }

    @Override
    public void write(OutputStream out) throws IOException {
        ObjectEncoder items = new ObjectEncoder.TypeMeta(type)::writeItem;
        if (type.builtIn()) {
            out.write(
                    bytes(
                            "{"
                                    + kind()
                                    + ","
                                    + version()
                                    + ","
                                    + page.metadata(false)
                                    + ",\"items\":["));
            writeItems(page, items, out);
            out.write(END);
        } else {
            out.write(bytes("{" + version() + ",\"items\":["));
            writeItems(page, items, out);
            out.write(bytes("]," + kind() + "," + page.metadata(true) + "}\n"));
        }
    }

    /** Writes objects with commas between them. */
    static void writeItems(ListPage page, ObjectEncoder form, OutputStream out) throws IOException {
        boolean first = true;
        for (KubeObject object : page.objects()) {
            if (!first) {
                out.write(',');
            }
            first = false;
            form.write(object, out);
        }
    }

    private String kind() {
        return "\"kind\":\"" + type.kind() + "List\"";
    }

    private String version() {
        return "\"apiVersion\":\"" + type.apiVersion() + "\"";
    }
}
