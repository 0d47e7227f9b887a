package io.kubemirror.model;

import module java.base;

import org.jspecify.annotations.Nullable;

/**
 * A failure as the Kubernetes API reports it, both received and sent (list-watch.md#errors).
 *
 * @param code the HTTP status code
 * @param reason the machine-readable reason such as {@code Expired}, which decides what clients do
 *     (list-watch.md#st-1); empty if the server gave none
 * @param message the text for people
 * @param details structured details, or null
 * @param continueToken a token to continue an expired list at a newer revision
 *     (list-watch.md#errors), or null
 */
public record Status(
        int code,
        String reason,
        String message,
        @Nullable Details details,
        @Nullable String continueToken) {

    /** Creates a failure without a token. */
    public Status(int code, String reason, String message, @Nullable Details details) {
        this(code, reason, message, details, null);
    }

    /**
     * The structured details of a failure; empty strings and 0 are left out on the wire.
     *
     * @param name the object's name
     * @param group the API group
     * @param kind the resource, in spite of the member's name
     * @param causes the individual causes
     * @param retryAfterSeconds when to try again, 0 for no advice
     */
    public record Details(
            String name, String group, String kind, List<Cause> causes, int retryAfterSeconds) {

        /** Empty details, which are written as {@code {}}. */
        public static final Details EMPTY = new Details("", "", "", List.of(), 0);

        /** Copies the causes. */
        public Details {
            causes = List.copyOf(causes);
        }

        /** Returns details with only the time of the next attempt. */
        public static Details retryAfter(int seconds) {
            return new Details("", "", "", List.of(), seconds);
        }
    }

    /**
     * One cause of a failure.
     *
     * @param reason machine-readable, such as {@code ResourceVersionTooLarge}
     * @param message the text for people
     * @param field the invalid parameter, empty for none
     */
    public record Cause(String reason, String message, String field) {}

    /** Returns the reason of an HTTP status that comes without one, as apimachinery does. */
    public static String reason(int code) {
        return switch (code) {
            case 400 -> "BadRequest";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "NotFound";
            case 405 -> "MethodNotAllowed";
            case 406 -> "NotAcceptable";
            case 409 -> "Conflict";
            case 410 -> "Gone";
            case 413, 414, 431 -> "RequestEntityTooLarge";
            case 415 -> "UnsupportedMediaType";
            case 422 -> "Invalid";
            case 429 -> "TooManyRequests";
            case 503 -> "ServiceUnavailable";
            case 504 -> "Timeout";
            default -> code >= 500 ? "InternalError" : "";
        };
    }

    /**
     * Returns whether the requested revision is older than those that the server keeps: 410 in
     * either of its two spellings (list-watch.md#up-20).
     */
    public boolean isExpired() {
        return reason.equals("Expired") || reason.equals("Gone") || code == 410;
    }

    /**
     * Returns whether the requested revision is newer than the server's, identified by the cause,
     * or on old servers by the text (list-watch.md#st-1).
     */
    public boolean isTooLargeRevision() {
        boolean byCause =
                details != null
                        && details.causes().stream()
                                .anyMatch(
                                        cause -> cause.reason().equals("ResourceVersionTooLarge"));
        return byCause || message.contains("Too large resource version");
    }

    /**
     * Returns the seconds to wait before the next attempt, as advised by the server, 0 for no
     * advice.
     */
    public int retryAfterSeconds() {
        return details == null ? 0 : details.retryAfterSeconds();
    }
}
