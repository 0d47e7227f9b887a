package io.kubemirror.upstream.kube;

import io.kubemirror.model.Status;

import okhttp3.Response;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads the Status of failed responses, or creates one if the response has none. */
final class StatusReader {

    private static final JsonMapper MAPPER = JsonMapper.shared();
    private static final int BODY_LIMIT = 64 * 1024;

    private StatusReader() {}

    /** Reads the Status of a response that is not 2xx, including the retry advice of its header. */
    static Status read(Response response) {
        Status status = read(body(response), response.code());
        int seconds = seconds(response.header("Retry-After"));
        return status.retryAfterSeconds() > 0 || seconds == 0
                ? status
                : retryAfter(status, seconds);
    }

    private static byte[] body(Response response) {
        try {
            return ResponseBody.of(response).readNBytes(BODY_LIMIT);
        } catch (IOException _) {
            return new byte[0];
        }
    }

    private static int seconds(@Nullable String header) {
        boolean plain = header != null && header.matches("[0-9]{1,6}");
        return plain ? Integer.parseInt(header) : 0;
    }

    private static Status retryAfter(Status status, int seconds) {
        Status.Details old = status.details() == null ? Status.Details.EMPTY : status.details();
        Status.Details details =
                new Status.Details(old.name(), old.group(), old.kind(), old.causes(), seconds);
        return new Status(
                status.code(), status.reason(), status.message(), details, status.continueToken());
    }

    /**
     * Reads the Status in a body.
     *
     * @param body a Status, or anything else
     * @param code the HTTP status, used for everything that the body does not specify
     */
    static Status read(byte[] body, int code) {
        try {
            JsonNode node = MAPPER.readTree(body);
            boolean isStatus =
                    node.path("kind").asString("").equals("Status")
                            || node.path("status").asString("").equals("Failure");
            return isStatus ? status(node, code) : made(code);
        } catch (JacksonException _) {
            return made(code);
        }
    }

    private static Status status(JsonNode node, int code) {
        String token = node.path("metadata").path("continue").asString("");
        return new Status(
                node.path("code").asInt(code),
                text(node, "reason"),
                text(node, "message"),
                details(node.path("details")),
                token.isEmpty() ? null : token);
    }

    private static Status.@Nullable Details details(JsonNode node) {
        if (!node.isObject()) {
            return null;
        }
        List<Status.Cause> causes = new ArrayList<>();
        for (JsonNode cause : node.path("causes")) {
            causes.add(
                    new Status.Cause(
                            text(cause, "reason"), text(cause, "message"), text(cause, "field")));
        }
        return new Status.Details(
                text(node, "name"),
                text(node, "group"),
                text(node, "kind"),
                causes,
                node.path("retryAfterSeconds").asInt(0));
    }

    private static String text(JsonNode node, String name) {
        return node.path(name).asString("");
    }

    /** Creates a Status. It does not contain the body, which may be a page of some proxy. */
    private static Status made(int code) {
        return new Status(code, reason(code), "the server answered without a Status", null);
    }

    private static String reason(int code) {
        return switch (code) {
            case 400 -> "BadRequest";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "NotFound";
            case 405 -> "MethodNotAllowed";
            case 406 -> "NotAcceptable";
            case 409 -> "Conflict";
            case 410 -> "Gone";
            case 415 -> "UnsupportedMediaType";
            case 422 -> "Invalid";
            case 429 -> "TooManyRequests";
            case 503 -> "ServiceUnavailable";
            case 504 -> "Timeout";
            default -> code >= 500 ? "InternalError" : "";
        };
    }
}
