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
 * @param head the document up to the first object
 * @param page the objects
 * @param items encodes each object
 * @param tail the document after the last object
 */
public record ListDocument(String head, ListPage page, ObjectEncoder items, String tail)
        implements JsonDocument {

    /** Returns a list of whole objects. */
    public static ListDocument of(ResourceType type, ListPage page) {
        ObjectEncoder items = new ObjectEncoder.TypeMeta(type)::writeItem;
        String kind = "\"kind\":\"" + type.kind() + "List\",";
        String version = "\"apiVersion\":\"" + type.apiVersion() + "\",";
        String start = "\"items\":[";
        return type.builtIn()
                ? new ListDocument(
                        "{" + kind + version + page.metadata(false) + "," + start,
                        page,
                        items,
                        "]" + page.groups() + "}\n")
                : new ListDocument(
                        "{" + version + start,
                        page,
                        items,
                        "]," + kind + page.metadata(true) + page.groups() + "}\n");
    }

    /**
     * Returns a list of object metadata (list-watch.md#ne-30).
     *
     * @param version the version of the format, such as {@code v1}
     */
    static ListDocument ofMetadata(String version, ListPage page) {
        String head =
                ("{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/%s\",%s,"
                                + "\"items\":[")
                        .formatted(version, page.metadata(false));
        return new ListDocument(
                head,
                page,
                new ObjectEncoder.MetadataEncoder(version),
                "]" + page.groups() + "}\n");
    }

    @Override
    public void write(OutputStream out) throws IOException {
        out.write(bytes(head));
        writeItems(page, items, out);
        out.write(bytes(tail));
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
}
