package io.kubemirror.api.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;

import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON of a {@link Status}, member for member as the API server writes it
 * (list-watch.md#errors).
 */
public final class StatusJson {

    /** Leaves out what is empty, 0 or null. */
    private static final JsonMapper MAPPER =
            GoJson.mapper()
                    .rebuild()
                    .changeDefaultPropertyInclusion(
                            any -> any.withValueInclusion(Include.NON_DEFAULT))
                    .build();

    private StatusJson() {}

    private record Document(
            String kind,
            String apiVersion,
            Metadata metadata,
            String status,
            @JsonInclude String message,
            String reason,
            Status.@Nullable Details details,
            int code) {}

    private record Metadata(@JsonProperty("continue") @Nullable String continueToken) {}

    /** The JSON in one line, which ends with a newline (list-watch.md#st-2, #en-8). */
    public static byte[] line(Status status) {
        return GoJson.line(bytes(status));
    }

    /** The JSON alone. */
    public static byte[] bytes(Status status) {
        return MAPPER.writeValueAsBytes(
                new Document(
                        "Status",
                        "v1",
                        new Metadata(status.continueToken()),
                        "Failure",
                        status.message(),
                        status.reason(),
                        status.details(),
                        status.code()));
    }

    /** A text as Go's JSON has it, in which some messages quote what they refuse. */
    static String quote(String text) {
        return MAPPER.writeValueAsString(text);
    }
}
