package io.kubemirror.testing;

import io.kubemirror.model.Status;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Creates failures and writes them as the API server does (list-watch.md#errors). */
public final class FailureStatuses {

    private FailureStatuses() {}

    /** A failure without details. */
    public static Status status(int code, String reason, String message) {
        return new Status(code, reason, message, null);
    }

    /** A failure with a retry delay, which becomes a {@code Retry-After} header too. */
    public static Status status(int code, String reason, String message, int retryAfterSeconds) {
        return new Status(code, reason, message, Status.Details.retryAfter(retryAfterSeconds));
    }

    /** The failure as JSON. */
    public static ObjectNode json(Status status) {
        ObjectNode json = JsonTrees.object().put("kind", "Status").put("apiVersion", "v1");
        ObjectNode metadata = json.putObject("metadata");
        if (status.continueToken() != null) {
            metadata.put("continue", status.continueToken());
        }
        json.put("status", "Failure").put("message", status.message());
        putText(json, "reason", status.reason());
        if (status.details() != null) {
            putDetails(json.putObject("details"), status.details());
        }
        return json.put("code", status.code());
    }

    private static void putDetails(ObjectNode json, Status.Details details) {
        putText(json, "name", details.name());
        putText(json, "group", details.group());
        putText(json, "kind", details.kind());
        if (!details.causes().isEmpty()) {
            ArrayNode causes = json.putArray("causes");
            details.causes().forEach(cause -> putCause(causes.addObject(), cause));
        }
        if (details.retryAfterSeconds() > 0) {
            json.put("retryAfterSeconds", details.retryAfterSeconds());
        }
    }

    private static void putCause(ObjectNode json, Status.Cause cause) {
        putText(json, "reason", cause.reason());
        putText(json, "message", cause.message());
        putText(json, "field", cause.field());
    }

    private static void putText(ObjectNode json, String member, String text) {
        if (!text.isEmpty()) {
            json.put(member, text);
        }
    }
}
