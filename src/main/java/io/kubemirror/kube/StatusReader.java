package io.kubemirror.kube;

import module java.base;

import io.kubemirror.model.Status;

import okhttp3.Response;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Reads the Status of failed responses, or creates one if the response has none. */
final class StatusReader {

    /** A tree of a document is several times as large. */
    static final int MAX_LENGTH = 64 * 1024;

    private StatusReader() {}

    /** Reads the Status of a response that is not 2xx, including the retry advice of its header. */
    static Status read(Response response) {
        return read(body(response), response.code(), seconds(response.header("Retry-After")));
    }

    private static byte[] body(Response response) {
        try {
            return ResponseBody.of(response).readNBytes(MAX_LENGTH);
        } catch (IOException _) {
            return new byte[0];
        }
    }

    private static int seconds(@Nullable String header) {
        boolean plain = header != null && header.matches("[0-9]{1,6}");
        return plain ? Integer.parseInt(header) : 0;
    }

    /**
     * Reads the Status in a body.
     *
     * @param body a Status, or anything else; one that is too large counts as no Status
     * @param code the HTTP status, used for everything that the body does not specify
     */
    static Status read(byte[] body, int code) {
        return read(body, code, 0);
    }

    /** A Status that is made up does not contain the body, which may be a page of some proxy. */
    private static Status read(byte[] body, int code, int retryAfter) {
        JsonNode status = status(body);
        boolean none = status.isMissingNode();
        String token = text(status.path("metadata"), "continue");
        return new Status(
                status.path("code").asInt(code),
                none ? Status.reason(code) : text(status, "reason"),
                none ? unspecified(body) : text(status, "message"),
                details(status.path("details"), retryAfter),
                token.isEmpty() ? null : token);
    }

    private static String unspecified(byte[] body) {
        return new String(body, StandardCharsets.US_ASCII).contains("HTTP request to an HTTPS")
                ? "the port expects https instead of http in the URL"
                : "the server returned an error without a Status";
    }

    private static JsonNode status(byte[] body) {
        try {
            JsonNode node = KubeClient.JSON.readTree(body, 0, Math.min(body.length, MAX_LENGTH));
            boolean isStatus =
                    text(node, "kind").equals("Status") || text(node, "status").equals("Failure");
            return isStatus ? node : KubeClient.JSON.missingNode();
        } catch (JacksonException _) {
            return KubeClient.JSON.missingNode();
        }
    }

    private static Status.@Nullable Details details(JsonNode node, int retryAfter) {
        if (!node.isObject() && retryAfter == 0) {
            return null;
        }
        int advice = node.path("retryAfterSeconds").asInt(0);
        return new Status.Details(
                text(node, "name"),
                text(node, "group"),
                text(node, "kind"),
                node.path("causes").valueStream().map(StatusReader::cause).toList(),
                advice > 0 || retryAfter == 0 ? advice : retryAfter);
    }

    private static Status.Cause cause(JsonNode node) {
        return new Status.Cause(text(node, "reason"), text(node, "message"), text(node, "field"));
    }

    private static String text(JsonNode node, String name) {
        return node.path(name).asString("");
    }
}
