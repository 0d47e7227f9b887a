package io.kubemirror.api.encode;

import io.kubemirror.api.encode.table.TableFormat;
import io.kubemirror.api.http.GoJson;
import io.kubemirror.model.KubeObject;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.List;

/** Writes tables incrementally (list-watch.md#ne-20 to #ne-28). */
final class TableWriter {

    private static final byte[] NULL = TypeMeta.bytes("null");

    private final TableFormat format;
    private final String version;
    private final @Nullable ObjectEncoder rowObjects;
    private final InstantSource clock;

    /**
     * Creates a writer.
     *
     * @param format the columns
     * @param version the version of the format, such as {@code v1}
     * @param rowObjects writes the object of each row, null for none
     * @param clock the clock from which ages are computed
     */
    TableWriter(
            TableFormat format,
            String version,
            @Nullable ObjectEncoder rowObjects,
            InstantSource clock) {
        this.format = format;
        this.version = version;
        this.rowObjects = rowObjects;
        this.clock = clock;
    }

    /**
     * Writes everything before the first row.
     *
     * @param metadata the member {@code metadata}
     * @param columns whether to write the column definitions (list-watch.md#ne-27)
     */
    void open(String metadata, boolean columns, OutputStream out) throws IOException {
        out.write(
                TypeMeta.bytes(
                        "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/"
                                + version
                                + "\","
                                + metadata
                                + ",\"columnDefinitions\":"));
        out.write(columns ? GoJson.bytes(format.columns()) : NULL);
        out.write(TypeMeta.bytes(",\"rows\":["));
    }

    /** Writes the row of an object. */
    void row(KubeObject object, OutputStream out) throws IOException {
        row(object, rowObjects, out);
    }

    /**
     * Writes the row of a bookmark, which contains the revision even if other rows contain no
     * object (list-watch.md#ne-28).
     */
    void bookmark(KubeObject bookmark, OutputStream out) throws IOException {
        row(bookmark, rowObjects == null ? new MetadataEncoder(version) : rowObjects, out);
    }

    /** Writes everything after the last row. */
    void close(OutputStream out) throws IOException {
        out.write(']');
        out.write('}');
    }

    private void row(KubeObject object, @Nullable ObjectEncoder form, OutputStream out)
            throws IOException {
        JsonNode tree = GoJson.tree(object.json());
        out.write(TypeMeta.bytes("{\"cells\":"));
        out.write(GoJson.bytes(format.cells(tree, clock.instant())));
        TableFormat.RowCondition condition = format.condition().apply(tree).orElse(null);
        if (condition != null) {
            out.write(TypeMeta.bytes(",\"conditions\":"));
            out.write(GoJson.bytes(List.of(condition)));
        }
        out.write(TypeMeta.bytes(",\"object\":"));
        if (form == null) {
            out.write(NULL);
        } else {
            form.write(object, out);
        }
        out.write('}');
    }
}
