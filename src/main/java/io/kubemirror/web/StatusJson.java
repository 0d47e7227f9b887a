package io.kubemirror.web;

import io.kubemirror.model.Status;

import tools.jackson.core.JsonGenerator;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The JSON of a {@link Status}, member for member as the API server writes it (spec 0.4). */
final class StatusJson {

    private StatusJson() {}

    /** The JSON in one line, which ends with a newline (ST-2, EN-8). */
    static byte[] line(Status status) {
        byte[] json = bytes(status);
        byte[] line = Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        return line;
    }

    /** The JSON alone. */
    static byte[] bytes(Status status) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (JsonGenerator json = GoJson.generator(bytes)) {
            write(status, json);
        }
        return bytes.toByteArray();
    }

    /** A text as Go's JSON has it, in which some messages quote what they refuse. */
    static String quote(String text) {
        ByteArrayOutputStream quoted = new ByteArrayOutputStream(text.length() + 2);
        try (JsonGenerator json = GoJson.generator(quoted)) {
            json.writeString(text);
        }
        return quoted.toString(StandardCharsets.UTF_8);
    }

    private static void write(Status status, JsonGenerator json) {
        json.writeStartObject();
        json.writeStringProperty("kind", "Status");
        json.writeStringProperty("apiVersion", "v1");
        json.writeObjectPropertyStart("metadata");
        if (status.continueToken() != null) {
            json.writeStringProperty("continue", status.continueToken());
        }
        json.writeEndObject();
        json.writeStringProperty("status", "Failure");
        json.writeStringProperty("message", status.message());
        writeUnlessEmpty("reason", status.reason(), json);
        if (status.details() != null) {
            writeDetails(status.details(), json);
        }
        json.writeNumberProperty("code", status.code());
        json.writeEndObject();
    }

    private static void writeDetails(Status.Details details, JsonGenerator json) {
        json.writeObjectPropertyStart("details");
        writeUnlessEmpty("name", details.name(), json);
        writeUnlessEmpty("group", details.group(), json);
        writeUnlessEmpty("kind", details.kind(), json);
        if (!details.causes().isEmpty()) {
            json.writeArrayPropertyStart("causes");
            details.causes().forEach(cause -> writeCause(cause, json));
            json.writeEndArray();
        }
        if (details.retryAfterSeconds() > 0) {
            json.writeNumberProperty("retryAfterSeconds", details.retryAfterSeconds());
        }
        json.writeEndObject();
    }

    private static void writeCause(Status.Cause cause, JsonGenerator json) {
        json.writeStartObject();
        writeUnlessEmpty("reason", cause.reason(), json);
        writeUnlessEmpty("message", cause.message(), json);
        writeUnlessEmpty("field", cause.field(), json);
        json.writeEndObject();
    }

    private static void writeUnlessEmpty(String name, String value, JsonGenerator json) {
        if (!value.isEmpty()) {
            json.writeStringProperty(name, value);
        }
    }
}
