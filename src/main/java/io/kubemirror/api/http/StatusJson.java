package io.kubemirror.api.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;

import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.json.JsonMapper;

/**
 * Serializes a {@link Status} with the members in the API server's order (list-watch.md#errors).
 */
public final class StatusJson {

    /** Omits empty, zero, and null members. */
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

    /** Returns the JSON on one line that ends with a newline (list-watch.md#st-2, #en-8). */
    public static byte[] line(Status status) {
        return GoJson.line(bytes(status));
    }

    /** Returns the JSON without a newline. */
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

    /**
     * Returns a text as a JSON string in Go's format, which some messages use to quote invalid
     * input.
     */
    static String quote(String text) {
        return MAPPER.writeValueAsString(text);
    }
}
