package io.kubemirror.api.encode;

import io.kubemirror.model.KubeObject;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes only the metadata of an object, extracted from its stored bytes (list-watch.md#ne-30,
 * #ne-32).
 *
 * <p>This works for mirrors of metadata and for mirrors of whole objects.
 */
final class MetadataEncoder implements ObjectEncoder {

    private static final String GROUP = "meta.k8s.io/";

    private final byte[] opening;

    /** Creates an encoder for a version of the metadata group, such as {@code v1}. */
    MetadataEncoder(String version) {
        this.opening =
                TypeMeta.bytes(
                        "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\""
                                + GROUP
                                + version
                                + "\",\"metadata\":");
    }

    @Override
    public void write(KubeObject object, OutputStream out) throws IOException {
        KubeObject.Span metadata = object.metadata();
        out.write(opening);
        out.write(object.json(), metadata.start(), metadata.end() - metadata.start());
        out.write('}');
    }
}
