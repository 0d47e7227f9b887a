package io.kubemirror.api.encode;

import io.kubemirror.api.http.JsonDocument;
import io.kubemirror.model.KubeObject;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A list of object metadata (list-watch.md#ne-30).
 *
 * @param version the version of the format, such as {@code v1}
 * @param page the objects
 */
record MetadataListDocument(String version, ListPage page) implements JsonDocument {

    @Override
    public void write(OutputStream out) throws IOException {
        out.write(
                TypeMeta.bytes(
                        "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/"
                                + version
                                + "\","
                                + ListMeta.of(page)
                                + ",\"items\":["));
        MetadataEncoder form = new MetadataEncoder(version);
        boolean first = true;
        for (KubeObject object : page.objects()) {
            if (!first) {
                out.write(',');
            }
            first = false;
            form.write(object, out);
        }
        out.write(TypeMeta.bytes("]}\n"));
    }
}
