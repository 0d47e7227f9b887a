package io.kubemirror.feature.table;

import static io.kubemirror.api.encode.ObjectEncoder.bytes;

import module java.base;

import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.encode.JsonDocument;
import io.kubemirror.api.encode.ObjectEncoder;
import io.kubemirror.api.http.GoJson;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.JsonNode;

/**
 * Writes tables incrementally (list-watch.md#ne-20 to #ne-28).
 *
 * @param format the columns
 * @param version the version of the format, such as {@code v1}
 * @param rowObjects writes the object of each row, null for none
 * @param clock the clock from which ages are computed
 */
record TableWriter(
        TableFormat format,
        String version,
        @Nullable ObjectEncoder rowObjects,
        InstantSource clock) {

    private static final Logger log = LoggerFactory.getLogger(TableWriter.class);

    private static final byte[] NULL = bytes("null");

    /**
     * Returns a list, or a single object, as a table (list-watch.md#ne-23).
     *
     * @param metadata the member {@code metadata}
     */
    JsonDocument document(String metadata, Iterable<KubeObject> objects) {
        return new JsonDocument(
                head(metadata, true),
                objects,
                (object, to) -> row(object, rowObjects, to),
                bytes("]}\n"));
    }

    /** Returns the metadata of the table of a single object. */
    static String metadata(Revision revision) {
        return "\"metadata\":{\"resourceVersion\":\"" + revision + "\"}";
    }

    /**
     * Returns an encoder that writes each object as a table with one row. Only the first table
     * contains the column definitions (list-watch.md#ne-23, #ne-27).
     *
     * <p>For use by one watch. Rejected: sharing the output between watches. It would contain the
     * age of the object at the time of the first write, and few clients request tables.
     */
    ObjectEncoder objects() {
        return new SingleRows();
    }

    private final class SingleRows implements ObjectEncoder {

        private boolean begun;

        @Override
        public void write(KubeObject object, OutputStream out) throws IOException {
            out.write(head(metadata(object.revision()), !begun));
            begun = true;
            // The row of a bookmark contains the revision even if other rows contain no object
            // (list-watch.md#ne-28).
            boolean bare = rowObjects == null && FrameEncoder.isBookmark(object);
            row(object, bare ? new ObjectEncoder.MetadataEncoder(version) : rowObjects, out);
            out.write(bytes("]}"));
        }

        @Override
        public boolean isShared() {
            return false;
        }
    }

    /**
     * Returns everything before the first row.
     *
     * @param metadata the member {@code metadata}
     * @param columns whether to write the column definitions (list-watch.md#ne-27)
     */
    private byte[] head(String metadata, boolean columns) {
        ByteArrayOutputStream head = new ByteArrayOutputStream(1024);
        head.writeBytes(
                bytes(
                        "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/"
                                + version
                                + "\","
                                + metadata
                                + ",\"columnDefinitions\":"));
        head.writeBytes(columns ? GoJson.bytes(format.columns()) : NULL);
        head.writeBytes(bytes(",\"rows\":["));
        return head.toByteArray();
    }

    private void row(KubeObject object, @Nullable ObjectEncoder form, OutputStream out)
            throws IOException {
        out.write(bytes("{" + cells(object) + ",\"object\":"));
        if (form == null) {
            out.write(NULL);
        } else {
            form.write(object, out);
        }
        out.write('}');
    }

    /**
     * Returns the members {@code cells} and {@code conditions}. An object that cannot be read has
     * its name alone, and spoils no other row.
     */
    private String cells(KubeObject object) {
        try {
            JsonNode tree = GoJson.tree(object.json());
            String cells = "\"cells\":" + GoJson.text(format.cells(tree, clock.instant()));
            return format.condition()
                    .apply(tree)
                    .map(condition -> cells + ",\"conditions\":" + GoJson.text(List.of(condition)))
                    .orElse(cells);
        } catch (RuntimeException unreadable) {
            log.debug("Cannot read {} for a table", object.key(), unreadable);
            List<@Nullable Object> cells =
                    new ArrayList<>(
                            Collections.<@Nullable Object>nCopies(format.columns().size(), null));
            cells.set(0, object.key().name());
            return "\"cells\":" + GoJson.text(cells);
        }
    }
}
