package io.kubemirror.web;

import io.kubemirror.model.KubeObject;
import io.kubemirror.web.table.Column;
import io.kubemirror.web.table.TableFormat;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.time.InstantSource;

/** Writes tables piece by piece (NE-20 to NE-28). */
final class TableWriter {

    private static final byte[] NULL = TypeMeta.bytes("null");

    private final TableFormat format;
    private final String version;
    private final @Nullable ObjectForm rowObjects;
    private final InstantSource clock;

    /**
     * A writer.
     *
     * @param format the columns
     * @param version the version of the form, such as {@code v1}
     * @param rowObjects what rows hold of their objects, null for nothing
     * @param clock the time that ages end at
     */
    TableWriter(
            TableFormat format,
            String version,
            @Nullable ObjectForm rowObjects,
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
     * @param columns whether to say what the columns are (NE-27)
     */
    void open(String metadata, boolean columns, OutputStream out) throws IOException {
        out.write(
                TypeMeta.bytes(
                        "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/"
                                + version
                                + "\","
                                + metadata
                                + ",\"columnDefinitions\":"));
        out.write(columns ? definitions() : NULL);
        out.write(TypeMeta.bytes(",\"rows\":["));
    }

    /** Writes the row of an object. */
    void row(KubeObject object, OutputStream out) throws IOException {
        row(object, rowObjects, out);
    }

    /** Writes the row of a bookmark, which holds its revision even if others hold none (NE-28). */
    void bookmark(KubeObject bookmark, OutputStream out) throws IOException {
        row(bookmark, rowObjects == null ? new MetadataForm(version) : rowObjects, out);
    }

    /** Writes everything after the last row. */
    void close(OutputStream out) throws IOException {
        out.write(']');
        out.write('}');
    }

    private void row(KubeObject object, @Nullable ObjectForm form, OutputStream out)
            throws IOException {
        JsonNode tree = GoJson.tree(object.json());
        out.write(TypeMeta.bytes("{\"cells\":"));
        out.write(cells(tree, clock.instant()));
        TableFormat.RowCondition condition = format.condition().apply(tree).orElse(null);
        if (condition != null) {
            out.write(TypeMeta.bytes(",\"conditions\":"));
            out.write(conditions(condition));
        }
        out.write(TypeMeta.bytes(",\"object\":"));
        if (form == null) {
            out.write(NULL);
        } else {
            form.write(object, out);
        }
        out.write('}');
    }

    private byte[] cells(JsonNode object, Instant now) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        try (JsonGenerator json = GoJson.generator(bytes)) {
            json.writeStartArray();
            for (JsonNode cell : format.cells(object, now)) {
                GoJson.write(cell, json);
            }
            json.writeEndArray();
        }
        return bytes.toByteArray();
    }

    private static byte[] conditions(TableFormat.RowCondition condition) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        try (JsonGenerator json = GoJson.generator(bytes)) {
            json.writeStartArray();
            json.writeStartObject();
            json.writeStringProperty("type", condition.type());
            json.writeStringProperty("status", "True");
            json.writeStringProperty("reason", condition.reason());
            json.writeStringProperty("message", condition.message());
            json.writeEndObject();
            json.writeEndArray();
        }
        return bytes.toByteArray();
    }

    private byte[] definitions() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(2048);
        try (JsonGenerator json = GoJson.generator(bytes)) {
            json.writeStartArray();
            for (Column column : format.columns()) {
                json.writeStartObject();
                json.writeStringProperty("name", column.name());
                json.writeStringProperty("type", column.type());
                json.writeStringProperty("format", column.format());
                json.writeStringProperty("description", column.description());
                json.writeNumberProperty("priority", column.priority());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        return bytes.toByteArray();
    }
}
